/** What the allow-list of snapshots leaves out and the twin cannot do without: inert stand-ins, on addresses that are nobody's (RFC 5737, RFC 1918). */
import { fillPodSpec } from '../../../kubernetes/defaulting/pod-spec.ts';
import type { KubeObject } from '../../../kubernetes/store.ts';

/** Of a container whose image was not recorded. */
const NO_IMAGE = 'snapshot.invalid/not-recorded:0';

/** The object itself where nothing is missing. `serial`: a number of its own. */
export function completed(plural: string, object: KubeObject, serial: number): KubeObject {
  if (plural === 'pods') return pod(object, serial);
  if (plural === 'nodes') return node(object, serial);
  if (object.spec?.template?.spec?.containers !== undefined) return template(object);
  return object;
}

/** The API server's defaults, which no snapshot keeps: filled in at the first change they would look like somebody else's. */
function template(object: KubeObject): KubeObject {
  const copy = structuredClone(object);
  const { spec } = copy.spec.template;
  const recorded: KubeObject['spec'] = structuredClone(spec);
  fillPodSpec(spec);
  // What a snapshot keeps is whole.
  for (const [index, container] of spec.containers.entries()) Object.assign(container, recorded.containers[index]);
  return copy;
}

function pod(object: KubeObject, serial: number): KubeObject {
  const { metadata, spec = {}, status = {} } = object;
  const leaves = metadata.deletionTimestamp === undefined || metadata.deletionGracePeriodSeconds !== undefined;
  const ip = status.podIP ?? `10.${64 + ((serial >> 16) & 63)}.${(serial >> 8) & 255}.${serial & 255}`;
  const running = status.phase === 'Running' && status.podIP === undefined;
  const containers: { image?: string }[] = spec.containers ?? [];
  const nameless = containers.some(({ image }) => image === undefined);
  if (leaves && !running && !nameless) return object;
  return {
    ...object,
    metadata: leaves ? metadata : { ...metadata, deletionGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 30 },
    spec: nameless ? { ...spec, containers: containers.map((container) => ({ image: NO_IMAGE, ...container })) } : spec,
    status: running ? { ...status, podIP: ip, podIPs: [{ ip }] } : status,
  };
}

/** Its name tells its address, mostly. */
function node(object: KubeObject, serial: number): KubeObject {
  if ((object.status?.addresses ?? []).length > 0) return object;
  const named = /ip-(\d+)-(\d+)-(\d+)-(\d+)/.exec(object.metadata.name)?.slice(1, 5).join('.');
  const address = named ?? `10.${128 + ((serial >> 16) & 63)}.${(serial >> 8) & 255}.${serial & 255}`;
  return {
    ...object,
    status: {
      ...object.status,
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: object.metadata.name },
      ],
    },
  };
}
