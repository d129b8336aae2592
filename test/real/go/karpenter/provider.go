package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	ec2 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"sigs.k8s.io/karpenter/kwok/apis/v1alpha1"
	kwok "sigs.k8s.io/karpenter/kwok/cloudprovider"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
)

const (
	// imageAnnotation is how the image travels from the claim to the Node that the KWOK provider makes of it.
	imageAnnotation   = "rehearsal.belay.dev/image-id"
	kubeletAnnotation = "rehearsal.belay.dev/kubelet-version"
	// amiDrift is the reason that the provider for AWS gives (karpenter-provider-aws, pkg/cloudprovider/drift.go).
	amiDrift = cloudprovider.DriftReason("AMIDrift")
)

// minorOfImage finds "1.34" in amazon-eks-node-al2023-x86_64-standard-1.34-v20260601 and in bottlerocket-aws-k8s-1.34-x86_64-v1.40.0.
var minorOfImage = regexp.MustCompile(`[-/](1\.\d{2})(?:[-/]|$)`)

type provider struct {
	*kwok.CloudProvider
	client client.Client
}

func newProvider(ctx context.Context, c client.Client, instanceTypes []*cloudprovider.InstanceType) *provider {
	return &provider{CloudProvider: kwok.NewCloudProvider(ctx, nodeClassClient{c}, instanceTypes), client: c}
}

// Create launches a node with the first image that its class resolves to.
func (p *provider) Create(ctx context.Context, claim *v1.NodeClaim) (*v1.NodeClaim, error) {
	class, err := p.nodeClass(ctx, claim)
	if err != nil {
		if errors.IsNotFound(err) {
			return nil, cloudprovider.NewInsufficientCapacityError(fmt.Errorf("resolving node class, %w", err))
		}
		return nil, err
	}
	if len(class.Status.AMIs) == 0 {
		return nil, cloudprovider.NewNodeClassNotReadyError(fmt.Errorf("EC2NodeClass %s has no images", class.Name))
	}
	image := class.Status.AMIs[0]
	minor := minorOfImage.FindStringSubmatch(image.Name)
	if minor == nil {
		return nil, fmt.Errorf("image %q of EC2NodeClass %s names no Kubernetes version", image.Name, class.Name)
	}
	wanted := claim.DeepCopy()
	if wanted.Annotations == nil {
		wanted.Annotations = map[string]string{}
	}
	wanted.Annotations[imageAnnotation] = image.ID
	wanted.Annotations[kubeletAnnotation] = "v" + minor[1] + ".0-eks-rehearsal"
	launched, err := p.CloudProvider.Create(ctx, wanted)
	if err != nil {
		return nil, err
	}
	launched.Status.ImageID = image.ID
	return launched, nil
}

// IsDrifted says AMIDrift where the claim's image is none of those that its class resolves to now.
func (p *provider) IsDrifted(ctx context.Context, claim *v1.NodeClaim) (cloudprovider.DriftReason, error) {
	class, err := p.nodeClass(ctx, claim)
	if err != nil {
		return "", client.IgnoreNotFound(err)
	}
	if claim.Status.ImageID == "" || len(class.Status.AMIs) == 0 {
		return "", nil
	}
	known := slices.ContainsFunc(class.Status.AMIs, func(image ec2.AMI) bool { return image.ID == claim.Status.ImageID })
	if known {
		return "", nil
	}
	return amiDrift, nil
}

func (p *provider) GetSupportedNodeClasses() []status.Object {
	return []status.Object{&ec2.EC2NodeClass{}}
}

func (p *provider) Name() string { return "aws" }

func (p *provider) nodeClass(ctx context.Context, claim *v1.NodeClaim) (*ec2.EC2NodeClass, error) {
	class := &ec2.EC2NodeClass{}
	return class, p.client.Get(ctx, types.NamespacedName{Name: claim.Spec.NodeClassRef.Name}, class)
}

// nodeClassClient lets the KWOK provider find a KWOKNodeClass wherever there is an EC2NodeClass, and gives the Nodes that it
// creates the kubelet of their image, which says NotReady when it registers, as kubelets do: no pod is bound to them before they are Ready.
type nodeClassClient struct{ client.Client }

func (c nodeClassClient) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	class, ok := object.(*v1alpha1.KWOKNodeClass)
	if !ok {
		return c.Client.Get(ctx, key, object, options...)
	}
	real := &ec2.EC2NodeClass{}
	if err := c.Client.Get(ctx, key, real, options...); err != nil {
		return err
	}
	class.Name = real.Name
	class.Status.Conditions = real.Status.Conditions
	return nil
}

func (c nodeClassClient) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	if node, ok := object.(*corev1.Node); ok {
		version := node.Annotations[kubeletAnnotation]
		node.Status.NodeInfo.KubeletVersion = version
		node.Status.NodeInfo.KubeProxyVersion = version
		node.Status.NodeInfo.OSImage = "Amazon Linux 2023"
		now := metav1.Now()
		node.Status.Conditions = []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionFalse, Reason: "KubeletNotReady", Message: "container runtime network not ready",
			LastHeartbeatTime: now, LastTransitionTime: now,
		}}
	}
	return c.Client.Create(ctx, object, options...)
}
