/** An API server of which nothing is to be had: looked for once, before dozens of reads wait for it one after the other. */
import type { Unseen } from '../../../domain/readiness/model/evidence.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { failureOf, failureType } from '../../runtime/translate-errors.ts';

/** One that is refused may be an accident. */
const ATTEMPTS = 2;

/** Why nothing can be read of it, and what helps; undefined: it answers, whatever it then permits. */
export async function whyAway(port: Pick<KubernetesPort, 'version'>, cluster: string): Promise<Unseen | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await port.version();
      return undefined;
    } catch (error) {
      const away = unseenBy(error, cluster);
      if (away === undefined || attempt === ATTEMPTS) return away && { ...away, why: failed(away.why).message };
    }
  }
}

function unseenBy(error: unknown, cluster: string): Unseen | undefined {
  const said = messageOf(error);
  const type = failureType(error);
  if (type === 'AccessDenied' && /Kubernetes answered 401\b/.test(said))
    return {
      kind: 'away',
      why: `The API server of ${cluster} does not know this identity (401): nothing in the cluster was checked.`,
      fix: 'Give its IAM role an access entry, or map it in ConfigMap kube-system/aws-auth, and bind it to the ClusterRole that "belay check --permissions" prints.',
    };
  // One that answers with an error is there.
  if (type !== 'Unavailable' || /Kubernetes answer/.test(said)) return undefined;
  return {
    kind: 'away',
    why: `The API server of ${cluster} was not reached (${said.replace('reading /version: ', '')}): nothing in the cluster was checked.`,
    fix: 'Run this where the API server can be reached, such as in the VPC or with its VPN, and check HTTPS_PROXY; or name a kubeconfig with a tunnel in belay.yaml.',
  };
}

/** Each read waits until it is known whether the server is there; where it is not, all fail at once with that reason. */
export function unlessAway(port: KubernetesPort, away: Promise<Pick<Unseen, 'why'> | undefined>): KubernetesPort {
  const there = async (): Promise<void> => {
    const found = await away;
    if (found !== undefined) throw failed(found.why);
  };
  return {
    ...port,
    version: () => there().then(() => port.version()),
    readyz: () => there().then(() => port.readyz()),
    metrics: () => there().then(() => port.metrics()),
    scrape: (from, lines) => there().then(() => port.scrape(from, lines)),
    getInPod: (pod, path) => there().then(() => port.getInPod(pod, path)),
    get: (ref) => there().then(() => port.get(ref)),
    list: (query, keep) => there().then(() => port.list(query, keep)),
  };
}

const failed = (why: string): Error => failureOf('Unavailable', why);
