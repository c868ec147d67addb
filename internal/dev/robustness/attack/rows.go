package attack

import "slices"

// Rows returns all attacks, in the order of their numbers.
func Rows() []Row {
	return slices.Concat(waitingRows(), bodyRows(), unreadRows(), listenRows(), batchRows(), fillRows(),
		logRows(), endRows(), headerRows(), secretRows(), eventRows(), foreignRows(),
		madeRows(), kindRows(), taskRows(), floodRows(), http2Rows(), appRows(), skillRows(), fairRows())
}
