package serve

import "time"

// publishFirst is a planted bug, which the build tag fleet_publish_first switches on: an update is published before
// the transaction that it is about has ended, so that who reads at once may read the old value, and hears nothing
// later.
var publishFirst = false

const publishFirstPause = 50 * time.Millisecond
