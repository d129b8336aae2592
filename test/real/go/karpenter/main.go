// Command karpenter runs the real Karpenter with its KWOK provider behind the API of the provider for AWS: node classes are
// EC2NodeClasses, launched nodes carry an image, and a node whose image its class no longer resolves to has drifted.
package main

import (
	"encoding/json"
	"os"

	"github.com/aws/karpenter-provider-aws/pkg/apis"
	kwok "sigs.k8s.io/karpenter/kwok/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/overlay"
	"sigs.k8s.io/karpenter/pkg/controllers"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/operator"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "crds" {
		// What the chart karpenter-crd installs, as a JSON array.
		if err := json.NewEncoder(os.Stdout).Encode(apis.CRDs); err != nil {
			panic(err)
		}
		return
	}
	ctx, op := operator.NewOperator()
	instanceTypes, err := kwok.ConstructInstanceTypes(ctx)
	if err != nil {
		panic(err)
	}
	provider := newProvider(ctx, op.GetClient(), instanceTypes)
	decorated := overlay.Decorate(provider, op.GetClient(), op.InstanceTypeStore)
	cluster := state.NewCluster(op.Clock, op.GetClient(), decorated)
	op.WithControllers(ctx, controllers.NewControllers(
		ctx, op.Manager, op.Clock, op.GetClient(), op.EventRecorder, decorated, provider, cluster, op.InstanceTypeStore,
	)...).Start(ctx)
}
