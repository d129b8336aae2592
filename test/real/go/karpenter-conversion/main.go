// Command karpenter-conversion is the oracle for `belay migrate karpenter`: it converts objects of v1beta1 to v1 by the code that the
// conversion webhook of Karpenter 1.0 runs.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	awsapis "github.com/aws/karpenter-provider-aws/pkg/apis"
	awsv1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	awsv1beta1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1beta1"
	"github.com/awslabs/operatorpkg/object"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"knative.dev/pkg/apis"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	karpv1beta1 "sigs.k8s.io/karpenter/pkg/apis/v1beta1"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
)

func main() {
	var err error
	if len(os.Args) > 1 && os.Args[1] == "crds" {
		// What the chart karpenter-crd of this version installs, as a JSON array.
		err = json.NewEncoder(os.Stdout).Encode(awsapis.CRDs)
	} else {
		err = convertAll()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// convertAll reads a JSON array of v1beta1 objects from standard input and writes an array of their v1 to standard output.
func convertAll() error {
	var before []json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&before); err != nil {
		return err
	}
	// As the operator does it: what a nodeClassRef means that names no kind.
	ctx := injection.WithNodeClasses(context.Background(), []schema.GroupVersionKind{object.GVK(&awsv1.EC2NodeClass{})})
	after := []any{}
	for _, each := range before {
		converted, err := convert(ctx, each)
		if err != nil {
			return err
		}
		after = append(after, converted)
	}
	return json.NewEncoder(os.Stdout).Encode(after)
}

func convert(ctx context.Context, raw json.RawMessage) (any, error) {
	var what struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(raw, &what); err != nil {
		return nil, err
	}
	switch what.Kind {
	case "NodePool":
		after := &karpv1.NodePool{}
		after.APIVersion, after.Kind = "karpenter.sh/v1", what.Kind
		return after, from(ctx, raw, &karpv1beta1.NodePool{}, after)
	case "EC2NodeClass":
		after := &awsv1.EC2NodeClass{}
		after.APIVersion, after.Kind = "karpenter.k8s.aws/v1", what.Kind
		return after, from(ctx, raw, &awsv1beta1.EC2NodeClass{}, after)
	}
	return nil, fmt.Errorf("no conversion for %q", what.Kind)
}

func from(ctx context.Context, raw json.RawMessage, before, after apis.Convertible) error {
	if err := json.Unmarshal(raw, before); err != nil {
		return err
	}
	return after.ConvertFrom(ctx, before)
}
