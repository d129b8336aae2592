package main

import (
	"encoding/json"
	"log"
	"os"
	"time"

	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"google.golang.org/protobuf/types/known/structpb"

	v3 "istio.io/istio/pilot/pkg/xds/v3"
	"istio.io/istio/pkg/adsc"
)

// proxy is one meshed pod's sidecar.
type proxy struct {
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
	IP        string `json:"ip"`
	// Version of the proxy's image; istiod counts connections by it.
	Version  string `json:"version"`
	Revision string `json:"revision"`
	// Address of its istiod's plaintext xDS port.
	Address string `json:"address"`
}

const lookEvery = 500 * time.Millisecond

// connectProxies reads a file with a JSON array of all the proxies that there should be, again and again, and connects and disconnects
// accordingly. It never returns unless the file is wrong.
func connectProxies(file string) error {
	connected := map[proxy]*adsc.ADSC{}
	for ; ; time.Sleep(lookEvery) {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var wanted []proxy
		if err := json.Unmarshal(text, &wanted); err != nil {
			return err
		}
		keep := map[proxy]bool{}
		for _, each := range wanted {
			keep[each] = true
			if connected[each] != nil {
				continue
			}
			client, err := connect(each)
			if err != nil {
				// The next look tries again.
				log.Printf("connecting %s/%s: %v", each.Namespace, each.Pod, err)
				continue
			}
			connected[each] = client
		}
		for each, client := range connected {
			if !keep[each] {
				client.Close()
				delete(connected, each)
			}
		}
	}
}

func connect(p proxy) (*adsc.ADSC, error) {
	meta, err := structpb.NewStruct(map[string]any{
		"ISTIO_VERSION": p.Version,
		"NAMESPACE":     p.Namespace,
		"CLUSTER_ID":    "Kubernetes",
		"NAME":          p.Pod,
	})
	if err != nil {
		return nil, err
	}
	watch := func(typeURL string) *discovery.DiscoveryRequest { return &discovery.DiscoveryRequest{TypeUrl: typeURL} }
	client, err := adsc.New(p.Address, &adsc.ADSConfig{
		Config: adsc.Config{
			ClientName: p.Pod,
			Namespace:  p.Namespace,
			Workload:   p.Pod,
			IP:         p.IP,
			Revision:   p.Revision,
			Meta:       meta,
		},
		InitialDiscoveryRequests: []*discovery.DiscoveryRequest{watch(v3.ClusterType), watch(v3.ListenerType)},
	})
	if err != nil {
		return nil, err
	}
	return client, client.Run()
}
