/** Does the control plane answer as it should: EKS and every API server agree on the version, and the API server says it is ready. */
import type { ClusterFacts } from '../../../domain/facts/facts.ts';
import type { Finding } from '../../../domain/core/findings.ts';
import { compareKubernetesVersions, parseKubernetesVersion, tryKubernetesVersion } from '../../../domain/core/version.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { finding, unknownWhereDenied } from './catalogue.ts';

/** EKS has several API servers behind one address; each look takes a new connection. */
const LOOKS = 5;

/** `version`: as EKS says it. */
export function checkExpectedVersion(version: string, expected: readonly string[]): Finding {
  const right = expected.includes(version);
  return finding('EKS101', {
    status: right ? 'pass' : 'fail',
    message: right ? `The control plane is at ${version}.` : `The control plane is at ${version}, not at ${expected.join(' or ')}.`,
    ...(right ? {} : { remediation: 'Somebody else moved it: abort and plan again from where it is.' }),
  });
}

/** For seven days any request for the older version starts a rollback, one of a stale Terraform apply as well: nothing of an upgrade is right after it. */
export function checkStaysUp({ cluster, controlPlane, updateInProgress, unknowns }: ClusterFacts, to: string): Finding {
  const remediation = `Find out who requested the older version (a stale Terraform apply does) and stop that; abort this run. Then "belay rollback ${cluster.name}" adopts the rollback, or a new upgrade upgrades again.`;
  if (updateInProgress?.type === 'VersionRollback') {
    const { id, version = 'an older version' } = updateInProgress;
    const message = `EKS is rolling the control plane back to ${version} (update ${id}); this run did not request it.`;
    return finding('EKS105', { status: 'fail', message, resources: [id], remediation });
  }
  const at = tryKubernetesVersion(controlPlane.version);
  if (at !== undefined && compareKubernetesVersions(at, parseKubernetesVersion(to)) < 0) {
    const message = `The control plane is back at ${controlPlane.version}; this run did not request it.`;
    return finding('EKS105', { status: 'fail', message, remediation });
  }
  const blind = unknowns.find(({ part }) => part === 'updates');
  if (blind !== undefined) return finding('EKS105', { status: 'unknown', message: `Running updates cannot be seen: ${blind.why}.` });
  return finding('EKS105', { status: 'pass', message: 'Nobody does.' });
}

export async function checkServerVersions(kubernetes: KubernetesPort, to: string): Promise<Finding> {
  const seen: string[] = [];
  try {
    for (let look = 0; look < LOOKS; look += 1) seen.push((await kubernetes.version()).minor);
  } catch (error) {
    return unknownWhereDenied('K8S102', error, 'reading /version', 'get on /version');
  }
  const wrong = [...new Set(seen.filter((minor) => minor !== to))];
  return finding('K8S102', {
    status: wrong.length === 0 ? 'pass' : 'fail',
    message: wrong.length === 0 ? `${LOOKS} connections answered ${to}.` : `Some API servers still answer ${wrong.join(', ')}.`,
  });
}

export async function checkReadyz(kubernetes: KubernetesPort): Promise<Finding> {
  try {
    const { ok, message } = await kubernetes.readyz();
    return finding('K8S101', { status: ok ? 'pass' : 'fail', message: ok ? '/readyz answers ok.' : `/readyz fails: ${message}` });
  } catch (error) {
    return unknownWhereDenied('K8S101', error, 'reading /readyz', 'get on /readyz');
  }
}
