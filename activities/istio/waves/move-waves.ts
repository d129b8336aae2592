/** A wave of namespaces: read, moved by label or by tag, moved back, forgotten; and what has no wave of its own, the defaults. */
import type { IstioActivities } from '../../contract/istio.ts';
import type { KubernetesDeps } from '../../contract/ports.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { forgetGateways, moveGatewaysBack } from './gateways.ts';
import { forgetAll, heldLabels, labelsLeft, moveBackByLabel, moveByLabel, readLabels } from '../mesh/namespace-labels.ts';
import { restartNamespaces } from './restart.ts';
import { forgetTags, moveDefaults, pointTag } from '../revision/revision-tags.ts';
import type { HeldPointer } from '../../contract/istio-objects.ts';

type Waves = Pick<
  IstioActivities,
  'readWave' | 'moveNamespaces' | 'awaitNamespaceLabels' | 'moveTag' | 'moveBack' | 'moveDefaults' | 'forgetWaves'
>;

export function createWaveActivities(deps: KubernetesDeps): Waves {
  return {
    async readWave({ cluster, namespaces }) {
      return { before: await readLabels((await deps.clusterPorts(cluster)).kubernetes, namespaces) };
    },
    async moveNamespaces({ cluster, namespaces, revision, restartedAt, uninjected }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const held = await heldLabels(port, namespaces, revision);
      if (held.length > 0) return { restarted: 0, skipped: [], heldLabels: held };
      const gone: string[] = [];
      for (const namespace of namespaces) if (!(await moveByLabel(port, namespace, revision))) gone.push(namespace);
      const there = namespaces.filter((namespace) => !gone.includes(namespace));
      const { skipped, ...rest } = await restartNamespaces(port, there, { restartedAt, selects: [revision], uninjected });
      return { ...rest, skipped: [...gone.map((name) => ({ workload: `Namespace ${name}`, why: 'it is gone' })), ...skipped] };
    },
    async awaitNamespaceLabels({ cluster, timing, namespaces, revision }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const doing = `waiting until the labels of ${namespaces.slice(0, 3).join(', ')} say ${revision}`;
      let left: string[] = [];
      const result = await waitUntil<true>(
        { timing, timeoutMs: timing.askTimeoutMs, doing, details: () => ({ left: left.slice(0, 5) }) },
        async () => {
          left = (await labelsLeft(port, namespaces, revision)).map(({ namespace }) => namespace);
          return left.length === 0 ? { done: true, value: true } : { done: false, note: `not there yet: ${left.slice(0, 5).join(', ')}` };
        },
      );
      return { moved: result.kind === 'done', left: left.slice(0, 10) };
    },
    async moveTag({ cluster, tag, revision, namespaces, restartedAt, uninjected }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const held = await pointTag(port, tag, revision, true);
      if (held !== undefined) return { restarted: 0, skipped: [], held };
      return await restartNamespaces(port, namespaces, { restartedAt, selects: [tag, revision], uninjected });
    },
    async moveBack({ cluster, before, tags = [], gateways = [], restartedAt, uninjected }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const held: HeldPointer[] = [];
      for (const each of tags) {
        const kept = await pointTag(port, each.tag, each.revision, false);
        if (kept !== undefined) held.push(kept);
      }
      const there: string[] = [];
      for (const image of before) {
        const back = await moveBackByLabel(port, image);
        if (back.there) there.push(image.namespace);
        if (back.held !== undefined) held.push(back.held);
      }
      const { restarted } =
        restartedAt === undefined ? { restarted: 0 } : await restartNamespaces(port, there, { restartedAt, uninjected });
      held.push(...(await moveGatewaysBack(port, gateways, restartedAt)).map(({ what, by }) => ({ what, by })));
      return { restarted, ...(held.length === 0 ? {} : { held }) };
    },
    async moveDefaults({ cluster, revision, successor }) {
      return { held: await moveDefaults((await deps.clusterPorts(cluster)).kubernetes, revision, successor) };
    },
    async forgetWaves({ cluster, namespaces, gateways = [] }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      await forgetAll(port, namespaces);
      await forgetTags(port);
      await forgetGateways(port, gateways);
    },
  };
}
