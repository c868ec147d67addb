package cells

import (
	"encoding/json"
	"net/netip"
	"time"

	"github.com/mcpgen/mcpgen/internal/interop/testdata/cells/other"
)

// boxes are the arguments of the tools.
var boxes = map[string]any{
	"Bool":           Box[bool]{},
	"Int8":           Box[int8]{},
	"Int64":          Box[int64]{},
	"Uint64":         Box[uint64]{},
	"Float32":        Box[float32]{},
	"Float64":        Box[float64]{},
	"String":         Box[Text]{},
	"Level":          Box[Level]{},
	"Rank":           Box[Rank]{},
	"Word":           Box[Word]{},
	"Far":            Box[Far]{},
	"Money":          Box[Money]{},
	"Code":           Box[Code]{},
	"Number":         Box[json.Number]{},
	"Raw":            Box[json.RawMessage]{},
	"Any":            Box[any]{},
	"Time":           Box[time.Time]{},
	"Addr":           Box[netip.Addr]{},
	"Bytes":          Box[[]byte]{},
	"Octets":         Box[[]Octet]{},
	"Item":           Box[Item]{},
	"Array":          Box[[2]Item]{},
	"Grid":           Box[[2][3]int]{},
	"Sealed":         Box[Sealed]{},
	"Anonymous":      Box[Anonymous]{},
	"AnonymousList":  Box[[]Anonymous]{},
	"IntMap":         Box[map[int]string]{},
	"Ages":           Box[Ages]{},
	"Hosts":          Box[Hosts]{},
	"WordMap":        Box[map[Word]Item]{},
	"LevelMap":       Box[map[Level]int]{},
	"RankMap":        Box[map[Rank]int]{},
	"Names":          Box[Names]{},
	"Pointers":       Box[**Item]{},
	"Counts":         Box[**int]{},
	"Pointer":        Box[Pointer]{},
	"ItemPointers":   Box[[]*Item]{},
	"ItemPointerMap": Box[map[string]*Item]{},
	"Mixed":          Box[Mixed]{},
	"Page":           Box[Page[Item]]{},
	"Conf":           Box[other.Conf]{},
	"Open":           Box[other.Open]{},
	"Quoted":         Box[Quoted]{},
	"Nulls":          Box[Nulls]{},
	"Limits":         Box[Limits]{},
	"Tree":           Box[Tree]{},
	"Link":           Box[Link]{},
	"Node":           Box[Node]{},
	"Lists":          Box[[][]string]{},
	"Maps":           Box[map[string]map[string]int]{},
	"Times":          Box[Times]{},
	"Empties":        Box[Voids]{},
	"Empty":          Box[VoidMap]{},
}
