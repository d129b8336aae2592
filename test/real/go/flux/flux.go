// Package flux pins the API modules of Flux whose CRDs controller-gen writes for test/real/flux.test.ts. The controllers' own modules have
// replace directives; newer API modules want a newer Go.
package flux

import (
	_ "github.com/fluxcd/helm-controller/api/v2"
	_ "github.com/fluxcd/source-controller/api/v1"
)
