// Command diary serves diaries over MCP, on stdio or, to callers with access tokens of -issuer, with -http.
package main

import (
	"log"

	"github.com/mcpgen/mcpgen/auth"
	"github.com/mcpgen/mcpgen/golden/diary"
)

func main() {
	srv, err := diary.NewDiaryServer(diary.DiaryImpl{Diary: new(diary.Diary)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	auth.Main(srv)
}
