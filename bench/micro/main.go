// Command micro measures the servers of all libraries in memory, in turns, and prints the samples
// as JSON. The parent command starts it; by hand it is for profiles:
//
//	go run ./micro -row '^typed tool 2025' -only ours -slice 3s -rounds 1 -cpuprofile cpu.out
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

func main() {
	rounds := flag.Int("rounds", 11, "slices of each server and row")
	slice := flag.Duration("slice", 15*time.Millisecond, "length of a slice")
	row := flag.String("row", "", "only rows that match: `name revision`")
	only := flag.String("only", "", "only the server of this `library`, or this column")
	set := flag.String("set", "libraries", "what is measured: libraries, otel or auth")
	cpu := flag.String("cpuprofile", "", "write a CPU profile to this `file`")
	mem := flag.String("memprofile", "", "write a profile of all allocations to this `file`")
	begun := flag.String("start", "", "only print the nanoseconds in which the server of this `library` is made")
	resources := flag.Int("resources", 1000, "of the server that -start makes")
	flag.Parse()
	if *begun != "" {
		took, err := start(*begun, *resources)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(took.Nanoseconds())
		return
	}
	if *mem != "" {
		runtime.MemProfileRate = 1
	}
	stop := profile(*cpu, *mem)
	samples, err := measureAll(sets[*set], *only, regexp.MustCompile(*row), *rounds, *slice)
	stop()
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(samples)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// set is what is measured in turns, and with which requests.
type set struct {
	libraries []*library
	ops       []work.Op
}

var sets = map[string]set{
	"libraries": {[]*library{
		{name: work.Ours, make: newOurs},
		{name: work.SDK, make: newSDK},
		{name: work.MCPGo, make: newMCPGo},
		{name: work.Floor, make: newFloor},
	}, work.Ops()},
	"otel": {otelModes(), work.Traced()},
	"auth": {authWays(), []work.Op{{Name: "Authenticate", Want: authSubject}}},
}

// profile starts the profiles that were asked for; stop writes them.
func profile(cpu, mem string) (stop func()) {
	if cpu != "" {
		f, err := os.Create(cpu)
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	return func() {
		pprof.StopCPUProfile()
		if mem == "" {
			return
		}
		f, err := os.Create(mem)
		if err == nil {
			err = pprof.Lookup("allocs").WriteTo(f, 0)
		}
		if err != nil {
			log.Print(err)
		}
	}
}

// measureAll measures all rows: in each round one slice of every library, so that whatever else
// the machine does meets all of them.
func measureAll(set set, only string, rows *regexp.Regexp, rounds int, slice time.Duration) ([]work.MicroRow, error) {
	libs := slices.DeleteFunc(set.libraries, func(l *library) bool { return only != "" && only != l.name })
	var all []work.MicroRow
	for _, op := range set.ops {
		name := op.Name + " " + op.Era.String()
		if !rows.MatchString(name) {
			continue
		}
		row := work.MicroRow{Name: op.Name, Era: op.Era, Samples: map[string][]work.Sample{}}
		counts := map[string]int{}
		for _, l := range libs {
			n, err := calibrate(l, op, slice)
			if err != nil {
				row.Refused = append(row.Refused, fmt.Sprintf("%s: %v", l.name, err))
				continue
			}
			counts[l.name] = n
		}
		for range rounds {
			for _, l := range libs {
				if counts[l.name] == 0 {
					continue
				}
				s, err := measure(l, op, counts[l.name])
				if err != nil {
					return nil, err
				}
				row.Samples[l.name] = append(row.Samples[l.name], s)
			}
		}
		all = append(all, row)
	}
	return all, nil
}

// calibrate warms a server up and returns how many requests fill a slice. It measures half of one at least: the first
// request of a run may take as long as twenty of the others, because it makes buffers.
func calibrate(l *library, op work.Op, slice time.Duration) (int, error) {
	s, err := l.subject(op)
	if err != nil {
		return 0, err
	}
	if l.name != work.Floor {
		if err := verify(s, op); err != nil {
			return 0, err
		}
	}
	request := work.NewMessage([]byte(op.Request))
	for n := 1; ; n *= 4 {
		start := time.Now()
		if _, err := s.run(request, n); err != nil {
			return 0, err
		}
		if took := time.Since(start); took > slice/2 {
			return max(1, int(float64(n)*float64(slice)/float64(took))), nil
		}
	}
}

// measure runs one slice. What a run allocates for its connection and its buffers, as one with a single request shows,
// does not count for the requests.
func measure(l *library, op work.Op, n int) (work.Sample, error) {
	s, err := l.subject(op)
	if err != nil {
		return work.Sample{}, err
	}
	request := work.NewMessage([]byte(op.Request))
	runtime.GC()
	var at [3]runtime.MemStats
	for range 2 { // the first one fills pools that the collection has emptied
		runtime.ReadMemStats(&at[0])
		if _, err := s.run(request, 1); err != nil {
			return work.Sample{}, err
		}
		runtime.ReadMemStats(&at[1])
	}
	start := time.Now()
	last, err := s.run(request, n)
	took := time.Since(start)
	runtime.ReadMemStats(&at[2])
	if err == nil && l.name != work.Floor {
		err = right(op, last)
	}
	each := func(of func(m *runtime.MemStats) uint64) float64 {
		one, all := of(&at[1])-of(&at[0]), of(&at[2])-of(&at[1])
		if n == 1 || all < one {
			return float64(all) / float64(n)
		}
		return float64(all-one) / float64(n-1)
	}
	return work.Sample{
		NS:     float64(took) / float64(n),
		Allocs: each(func(m *runtime.MemStats) uint64 { return m.Mallocs }),
		Bytes:  each(func(m *runtime.MemStats) uint64 { return m.TotalAlloc }),
	}, err
}
