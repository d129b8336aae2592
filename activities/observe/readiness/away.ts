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

/** Reads go out at once, beside the question whether the server is there; where it is not, all end with that reason, without a wait for their own. */
export function unlessAway(port: KubernetesPort, away: Promise<Pick<Unseen, 'why'> | undefined>): KubernetesPort {
  const told = async <T>(read: Promise<T>): Promise<T> => {
    const other = read.catch(async (error: unknown) => {
      const found = await away;
      throw found === undefined ? error : failed(found.why);
    });
    const gone = away.then((found) => {
      if (found !== undefined) throw failed(found.why);
      return other;
    });
    return await Promise.race([other, gone]);
  };
  return {
    ...port,
    version: () => told(port.version()),
    readyz: () => told(port.readyz()),
    metrics: () => told(port.metrics()),
    scrape: (from, lines) => told(port.scrape(from, lines)),
    getInPod: (pod, path) => told(port.getInPod(pod, path)),
    get: (ref) => told(port.get(ref)),
    list: (query, keep) => told(port.list(query, keep)),
  };
}

const failed = (why: string): Error => failureOf('Unavailable', why);
