package relay

import "time"

var wrongBox = newBox("another of 16 bytes")

// calamities are the faults that last longer than every time of the relay. Meanwhile each replica goes on to change
// things, ready or not, and what it changes last may be what nobody else ever touches again.
func (w *world) calamities(seed int) {
	for n := range 1 + w.intN(3) {
		time.Sleep(time.Duration(w.intN(20_000)) * time.Millisecond)
		r := w.replicas[w.intN(numReplicas)]
		d := time.Duration(w.intN(150_000)) * time.Millisecond
		switch (seed/5 + n) % 8 {
		case 0: // cut off
			r.port.disconnect(true)
			w.live(d, r)
			w.endOrHeal(r, func() { r.port.disconnect(false) })
		case 1: // never connected
			r = w.replace(r, true, func(*Config) {})
			w.live(d, r)
			w.endOrHeal(r, func() { r.port.disconnect(false) })
		case 2: // a broker in two parts
			w.bus.set(func() { r.port.side = 1 })
			w.live(d, r)
			w.endOrHeal(r, func() { w.bus.set(func() { r.port.side = 0 }) })
		case 3: // stopped
			goOn := r.port.stop()
			w.live(d, nil)
			goOn()
			if w.intN(2) == 0 {
				w.write(r, w.intN(numURIs), true) // it ends as soon as it goes on
			}
		case 4: // the broker is away
			go w.bus.restart(d)
			time.Sleep(time.Millisecond)
			w.live(d, r)
			time.Sleep(2 * time.Millisecond)
		case 5: // deaf or mute, without a word
			w.bus.set(func() { r.port.deaf, r.port.mute, r.port.lies = d%3 != 1, d%3 != 0, true })
			w.live(d, r)
			w.endOrHeal(r, func() { w.bus.set(func() { r.port.deaf, r.port.mute = false, false }) })
		case 6: // a wrong key
			r = w.replace(r, false, func(c *Config) { c.Box = wrongBox })
			w.live(d, r)
			w.end(r, w.intN(2) == 0)
		case 7: // a wrong clock
			r = w.replace(r, false, func(c *Config) { c.clock = time.Hour })
			w.live(d, r)
			w.end(r, w.intN(2) == 0)
		}
		w.again()
	}
	time.Sleep(time.Millisecond)
}

// replace ends r, and starts another one in its place.
func (w *world) replace(r *checked, gone bool, change func(c *Config)) *checked {
	i := w.indexOf(r)
	w.end(r, false)
	w.startAt(i, &badPort{badBus: w.bus, gone: gone}, change)
	w.leave(r)
	return w.replicas[i]
}

// endOrHeal is the end of a fault of r: of the fault, or of r.
func (w *world) endOrHeal(r *checked, heal func()) {
	switch w.intN(5) {
	case 0, 1:
		w.end(r, false)
	case 2:
		w.end(r, true)
	case 3:
		heal()
		time.Sleep(time.Duration(w.intN(6000)) * time.Millisecond)
		w.write(r, w.intN(numURIs), true) // commits, and dies before it was announced
	default:
		heal()
	}
}

// live lets replicas change things for a while, r most of all.
func (w *world) live(d time.Duration, r *checked) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(min(time.Duration(w.intN(8000))*time.Millisecond, time.Until(end)))
		by := w.replicas[w.intN(numReplicas)]
		if r != nil && w.intN(2) == 0 {
			by = r
		}
		w.write(by, w.intN(numURIs), false)
	}
	if r != nil && w.intN(2) == 0 {
		w.write(r, w.intN(numURIs), false) // the last thing before the fault ends
	}
}

func (w *world) indexOf(r *checked) int {
	for i := range w.replicas {
		if w.replicas[i] == r {
			return i
		}
	}
	panic("no such replica")
}
