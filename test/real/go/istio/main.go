// Command istio-parts has what a rehearsal needs of Istio beside istiod: the charts, and the xDS connections of proxies.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"istio.io/istio/manifests"
)

const usage = "usage: istio-parts charts FOLDER | istio-parts proxies FILE"

func main() {
	var err error
	switch {
	case len(os.Args) == 3 && os.Args[1] == "charts":
		err = writeCharts(os.Args[2])
	case len(os.Args) == 3 && os.Args[1] == "proxies":
		err = connectProxies(os.Args[2])
	default:
		err = errors.New(usage)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// writeCharts copies the charts that istiod's module carries.
func writeCharts(folder string) error {
	charts, err := fs.Sub(manifests.FS, "charts")
	if err != nil {
		return err
	}
	for name, source := range map[string]string{"base": "base", "istiod": "istio-control/istio-discovery"} {
		chart, err := fs.Sub(charts, source)
		if err != nil {
			return err
		}
		if err := os.CopyFS(filepath.Join(folder, name), chart); err != nil {
			return err
		}
	}
	return nil
}
