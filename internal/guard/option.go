package guard

import "fmt"

// Apply calls an option, unless it is nil. That it panics is an error.
func Apply[O any](options *O, option func(*O)) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("an option panicked: %v", r)
		}
	}()
	if option != nil {
		option(options)
	}
	return nil
}
