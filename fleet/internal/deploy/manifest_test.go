package deploy

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// strict decodes a document of the manifest; a field that its kind does not have is an error.
func strict(t *testing.T, kind string, out any) {
	t.Helper()
	for doc := range strings.SplitSeq(block(t, "yaml"), "---\n") {
		if strings.Contains(doc, "kind: "+kind+"\n") {
			if err := yaml.UnmarshalStrict([]byte(doc), out); err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			return
		}
	}
	t.Fatalf("the manifest has no %s", kind)
}

// The kinds of the manifest decode without a field left over, and refer to each other.
func TestManifest(t *testing.T) {
	var d appsv1.Deployment
	var s corev1.Service
	var b policyv1.PodDisruptionBudget
	strict(t, "Deployment", &d)
	strict(t, "Service", &s)
	strict(t, "PodDisruptionBudget", &b)
	labels := d.Spec.Template.Labels
	for name, selector := range map[string]map[string]string{
		"Deployment": d.Spec.Selector.MatchLabels, "Service": s.Spec.Selector,
		"PodDisruptionBudget": b.Spec.Selector.MatchLabels,
	} {
		if len(selector) == 0 || selector["app"] != labels["app"] {
			t.Errorf("%s selects %v, pods have %v", name, selector, labels)
		}
	}
	if got := s.Spec.Ports[0].TargetPort.String(); got != d.Spec.Template.Spec.Containers[0].Ports[0].Name {
		t.Errorf("the service sends to port %s", got)
	}
}

// The process answers the probes of the manifest, keeps serving for the time of preStop, and ends within the grace
// period.
func TestProbes(t *testing.T) {
	var d appsv1.Deployment
	strict(t, "Deployment", &d)
	pod := d.Spec.Template.Spec
	c := pod.Containers[0]
	r := start(t)
	get := func(p *corev1.Probe) int {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(p.TimeoutSeconds)*time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.addrs[0]+p.HTTPGet.Path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	if p := c.ReadinessProbe.HTTPGet.Port.String(); p != c.Ports[0].Name {
		t.Errorf("the probe asks port %s", p)
	}
	probe := func(p *corev1.Probe) (status int) { // one that fails means nothing yet: Kubernetes asks three times
		for range 3 {
			if status = get(p); status == http.StatusOK {
				break
			}
		}
		return status
	}
	if ready, live := probe(c.ReadinessProbe), probe(c.LivenessProbe); ready != http.StatusOK || live != http.StatusOK {
		t.Fatalf("ready %d, live %d", ready, live)
	}
	pause := time.Duration(c.Lifecycle.PreStop.Sleep.Seconds) * time.Second
	time.Sleep(pause)
	if got := probe(c.ReadinessProbe); got != http.StatusOK {
		t.Errorf("during preStop: %d", got)
	}
	grace := time.Duration(*pod.TerminationGracePeriodSeconds)*time.Second - pause
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.process[0].Stop(patience)
	}()
	unready := false
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		select {
		case <-ended:
			if took := time.Since(begun); took > grace {
				t.Errorf("it took %v to end, of %v", took, grace)
			}
			if !unready {
				t.Error("it was ready until its end")
			}
			return
		default:
			unready = unready || get(c.ReadinessProbe) == http.StatusServiceUnavailable
		}
	}
}
