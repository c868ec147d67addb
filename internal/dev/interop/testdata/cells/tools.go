package cells

import (
	"context"
	"encoding/json"
	"net/netip"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/interop/testdata/cells/other"
)

// next is what the tools return instead of their arguments; nil for those.
var next any

func echo[T any](in Box[T]) (Box[T], error) {
	if next != nil {
		return next.(Box[T]), nil
	}
	return in, nil
}

// TakeBool returns its arguments.
//
//mcp:tool
func TakeBool(_ context.Context, in Box[bool]) (Box[bool], error) { return echo(in) }

// TakeInt8 returns its arguments.
//
//mcp:tool
func TakeInt8(_ context.Context, in Box[int8]) (Box[int8], error) { return echo(in) }

// TakeInt64 returns its arguments.
//
//mcp:tool
func TakeInt64(_ context.Context, in Box[int64]) (Box[int64], error) { return echo(in) }

// TakeUint64 returns its arguments.
//
//mcp:tool
func TakeUint64(_ context.Context, in Box[uint64]) (Box[uint64], error) { return echo(in) }

// TakeFloat32 returns its arguments.
//
//mcp:tool
func TakeFloat32(_ context.Context, in Box[float32]) (Box[float32], error) { return echo(in) }

// TakeFloat64 returns its arguments.
//
//mcp:tool
func TakeFloat64(_ context.Context, in Box[float64]) (Box[float64], error) { return echo(in) }

// TakeString returns its arguments.
//
//mcp:tool
func TakeString(_ context.Context, in Box[Text]) (Box[Text], error) { return echo(in) }

// TakeLevel returns its arguments.
//
//mcp:tool
func TakeLevel(_ context.Context, in Box[Level]) (Box[Level], error) { return echo(in) }

// TakeRank returns its arguments.
//
//mcp:tool
func TakeRank(_ context.Context, in Box[Rank]) (Box[Rank], error) { return echo(in) }

// TakeWord returns its arguments.
//
//mcp:tool
func TakeWord(_ context.Context, in Box[Word]) (Box[Word], error) { return echo(in) }

// TakeFar returns its arguments.
//
//mcp:tool
func TakeFar(_ context.Context, in Box[Far]) (Box[Far], error) { return echo(in) }

// TakeCode returns its arguments.
//
//mcp:tool
func TakeCode(_ context.Context, in Box[Code]) (Box[Code], error) { return echo(in) }

// TakeMoney returns its arguments.
//
//mcp:tool
func TakeMoney(_ context.Context, in Box[Money]) (Box[Money], error) { return echo(in) }

// TakeNumber returns its arguments.
//
//mcp:tool
func TakeNumber(_ context.Context, in Box[json.Number]) (Box[json.Number], error) { return echo(in) }

// TakeRaw returns its arguments.
//
//mcp:tool
func TakeRaw(_ context.Context, in Box[json.RawMessage]) (Box[json.RawMessage], error) {
	return echo(in)
}

// TakeAny returns its arguments.
//
//mcp:tool
func TakeAny(_ context.Context, in Box[any]) (Box[any], error) { return echo(in) }

// TakeTime returns its arguments.
//
//mcp:tool
func TakeTime(_ context.Context, in Box[time.Time]) (Box[time.Time], error) { return echo(in) }

// TakeAddr returns its arguments.
//
//mcp:tool
func TakeAddr(_ context.Context, in Box[netip.Addr]) (Box[netip.Addr], error) { return echo(in) }

// TakeBytes returns its arguments.
//
//mcp:tool
func TakeBytes(_ context.Context, in Box[[]byte]) (Box[[]byte], error) { return echo(in) }

// TakeOctets returns its arguments.
//
//mcp:tool
func TakeOctets(_ context.Context, in Box[[]Octet]) (Box[[]Octet], error) { return echo(in) }

// TakeItem returns its arguments.
//
//mcp:tool
func TakeItem(_ context.Context, in Box[Item]) (Box[Item], error) { return echo(in) }

// TakeArray returns its arguments.
//
//mcp:tool
func TakeArray(_ context.Context, in Box[[2]Item]) (Box[[2]Item], error) { return echo(in) }

// TakeGrid returns its arguments.
//
//mcp:tool
func TakeGrid(_ context.Context, in Box[[2][3]int]) (Box[[2][3]int], error) { return echo(in) }

// TakeSealed returns its arguments.
//
//mcp:tool
func TakeSealed(_ context.Context, in Box[Sealed]) (Box[Sealed], error) { return echo(in) }

// TakeAnonymous returns its arguments.
//
//mcp:tool
func TakeAnonymous(_ context.Context, in Box[Anonymous]) (Box[Anonymous], error) { return echo(in) }

// TakeAnonymousList returns its arguments.
//
//mcp:tool
func TakeAnonymousList(_ context.Context, in Box[[]Anonymous]) (Box[[]Anonymous], error) {
	return echo(in)
}

// TakeIntMap returns its arguments.
//
//mcp:tool
func TakeIntMap(_ context.Context, in Box[map[int]string]) (Box[map[int]string], error) {
	return echo(in)
}

// TakeAges returns its arguments.
//
//mcp:tool
func TakeAges(_ context.Context, in Box[Ages]) (Box[Ages], error) { return echo(in) }

// TakeHosts returns its arguments.
//
//mcp:tool
func TakeHosts(_ context.Context, in Box[Hosts]) (Box[Hosts], error) { return echo(in) }

// TakeWordMap returns its arguments.
//
//mcp:tool
func TakeWordMap(_ context.Context, in Box[map[Word]Item]) (Box[map[Word]Item], error) {
	return echo(in)
}

// TakeLevelMap returns its arguments.
//
//mcp:tool
func TakeLevelMap(_ context.Context, in Box[map[Level]int]) (Box[map[Level]int], error) {
	return echo(in)
}

// TakeRankMap returns its arguments.
//
//mcp:tool
func TakeRankMap(_ context.Context, in Box[map[Rank]int]) (Box[map[Rank]int], error) { return echo(in) }

// TakeNames returns its arguments.
//
//mcp:tool
func TakeNames(_ context.Context, in Box[Names]) (Box[Names], error) { return echo(in) }

// TakePointers returns its arguments.
//
//mcp:tool
func TakePointers(_ context.Context, in Box[**Item]) (Box[**Item], error) { return echo(in) }

// TakeCounts returns its arguments.
//
//mcp:tool
func TakeCounts(_ context.Context, in Box[**int]) (Box[**int], error) { return echo(in) }

// TakePointer returns its arguments.
//
//mcp:tool
func TakePointer(_ context.Context, in Box[Pointer]) (Box[Pointer], error) { return echo(in) }

// TakeItemPointers returns its arguments.
//
//mcp:tool
func TakeItemPointers(_ context.Context, in Box[[]*Item]) (Box[[]*Item], error) { return echo(in) }

// TakeItemPointerMap returns its arguments.
//
//mcp:tool
func TakeItemPointerMap(_ context.Context, in Box[map[string]*Item]) (Box[map[string]*Item], error) {
	return echo(in)
}

// TakeMixed returns its arguments.
//
//mcp:tool
func TakeMixed(_ context.Context, in Box[Mixed]) (Box[Mixed], error) { return echo(in) }

// TakePage returns its arguments.
//
//mcp:tool
func TakePage(_ context.Context, in Box[Page[Item]]) (Box[Page[Item]], error) { return echo(in) }

// TakeConf returns its arguments.
//
//mcp:tool
func TakeConf(_ context.Context, in Box[other.Conf]) (Box[other.Conf], error) { return echo(in) }

// TakeOpen returns its arguments.
//
//mcp:tool
func TakeOpen(_ context.Context, in Box[other.Open]) (Box[other.Open], error) { return echo(in) }

// TakeQuoted returns its arguments.
//
//mcp:tool
func TakeQuoted(_ context.Context, in Box[Quoted]) (Box[Quoted], error) { return echo(in) }

// TakeNulls returns its arguments.
//
//mcp:tool
func TakeNulls(_ context.Context, in Box[Nulls]) (Box[Nulls], error) { return echo(in) }

// TakeLimits returns its arguments.
//
//mcp:tool
func TakeLimits(_ context.Context, in Box[Limits]) (Box[Limits], error) { return echo(in) }

// TakeTree returns its arguments.
//
//mcp:tool
func TakeTree(_ context.Context, in Box[Tree]) (Box[Tree], error) { return echo(in) }

// TakeLink returns its arguments.
//
//mcp:tool
func TakeLink(_ context.Context, in Box[Link]) (Box[Link], error) { return echo(in) }

// TakeNode returns its arguments.
//
//mcp:tool
func TakeNode(_ context.Context, in Box[Node]) (Box[Node], error) { return echo(in) }

// TakeLists returns its arguments.
//
//mcp:tool
func TakeLists(_ context.Context, in Box[[][]string]) (Box[[][]string], error) { return echo(in) }

// TakeMaps returns its arguments.
//
//mcp:tool
func TakeMaps(_ context.Context, in Box[map[string]map[string]int]) (Box[map[string]map[string]int], error) {
	return echo(in)
}

// TakeTimes returns its arguments.
//
//mcp:tool
func TakeTimes(_ context.Context, in Box[Times]) (Box[Times], error) { return echo(in) }

// TakeEmpties returns its arguments.
//
//mcp:tool
func TakeEmpties(_ context.Context, in Box[Voids]) (Box[Voids], error) { return echo(in) }

// TakeEmpty returns its arguments.
//
//mcp:tool
func TakeEmpty(_ context.Context, in Box[VoidMap]) (Box[VoidMap], error) {
	return echo(in)
}

// TakeTone returns its arguments.
//
//mcp:tool
func TakeTone(_ context.Context, in Box[Tone]) (Box[Tone], error) { return echo(in) }

// TakeShade returns its arguments.
//
//mcp:tool
func TakeShade(_ context.Context, in Box[Shade]) (Box[Shade], error) { return echo(in) }

// TakeGrade returns its arguments.
//
//mcp:tool
func TakeGrade(_ context.Context, in Box[Grade]) (Box[Grade], error) { return echo(in) }

// TakeStamp returns its arguments.
//
//mcp:tool
func TakeStamp(_ context.Context, in Box[Stamp]) (Box[Stamp], error) { return echo(in) }

// TakeNothing returns its arguments.
//
//mcp:tool
func TakeNothing(_ context.Context, in Box[Nothing]) (Box[Nothing], error) { return echo(in) }

// TakeToneMap returns its arguments.
//
//mcp:tool
func TakeToneMap(_ context.Context, in Box[map[Tone]int]) (Box[map[Tone]int], error) { return echo(in) }

// TakeShadeMap returns its arguments.
//
//mcp:tool
func TakeShadeMap(_ context.Context, in Box[map[Shade]int]) (Box[map[Shade]int], error) {
	return echo(in)
}
