/** Waits until the Karpenter controller runs a version that will do. Who changes it is not this file's business. */
import type { KarpenterActivities } from '../../contract/karpenter.ts';
import type { KubernetesDeps } from '../../contract/ports.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { rolloutLack } from '../../kubernetes/objects/rollout.ts';
import type { Workload } from '../../clients/kubernetes/objects.ts';
import { controllerVersion, isAtLeast } from '../../kubernetes/objects/kubelet-versions.ts';

/** The image is the truth: the label app.kubernetes.io/version can be overridden. */
export function createControllerVersionActivities(deps: KubernetesDeps): Pick<KarpenterActivities, 'awaitKarpenterVersion'> {
  return {
    async awaitKarpenterVersion({ cluster, timing, wanted, minimum, namespace, deployment, back }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      let running = 'unknown';
      const doing = `waiting for Karpenter ${wanted}`;
      const result = await waitUntil<string>({ timing, timeoutMs: timing.askTimeoutMs, doing, details: () => ({ running }) }, async () => {
        const found = await port.get<Workload>({ apiVersion: 'apps/v1', plural: 'deployments', namespace, name: deployment });
        if (found === undefined) return { done: false, note: `there is no Deployment ${namespace}/${deployment}` };
        const version = controllerVersion(found);
        if (version === undefined) return { done: false, note: `the image of ${namespace}/${deployment} has no version in its tag` };
        running = version;
        if (!isAtLeast(version, minimum)) return { done: false, note: `Karpenter is ${version}, at least ${minimum} is needed` };
        if (back === true && !isAtLeast(wanted, version)) return { done: false, note: `Karpenter is still ${version}` };
        const lack = rolloutLack('Deployment', found);
        return lack === undefined ? { done: true, value: version } : { done: false, note: `rolling out ${version}: ${lack}` };
      });
      return result.kind === 'done' ? { version: result.value, timedOut: false } : { version: running, timedOut: true };
    },
  };
}
