/** A Helm release on which nothing is under way: what runs is waited for, what a killed worker left half-way is taken out of the way. */
import { beat } from '../../runtime/context.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { cancellableSleep } from '../../runtime/wait-until.ts';
import { type HelmRelease, isPending, readRelease } from './release.ts';

const LOOK_EVERY_MS = 2_000;

/**
 * undefined: there is no such release. A worker that is killed leaves a release pending for ever, and helm refuses to go on from there. Where
 * Belay itself began the operation, its record is deleted after `pendingWaitMs`: what it has applied so far carries Helm's annotations and is
 * adopted by the next call, which applies the same. Throws InvalidRequest for the operation of others: they may still be at it.
 */
export async function settledRelease(
  port: KubernetesPort,
  namespace: string,
  name: string,
  pendingWaitMs: number,
): Promise<HelmRelease | undefined> {
  let waitedMs = 0;
  for (;;) {
    const release = await readRelease(port, namespace, name);
    if (release === undefined || !isPending(release)) return release?.status === 'uninstalled' ? undefined : release;
    if (waitedMs >= pendingWaitMs) {
      if (!release.ours || release.status === 'uninstalling') throw busy(release);
      beat({ kind: 'taking up helm', release: name, status: release.status });
      const { name: secret, uid } = release.secret;
      await port.delete({ apiVersion: 'v1', plural: 'secrets', namespace, name: secret }, { uid });
      continue;
    }
    beat({ kind: 'waiting for helm', release: name, status: release.status });
    await cancellableSleep(LOOK_EVERY_MS);
    waitedMs += LOOK_EVERY_MS;
  }
}

function busy({ namespace, name, status }: HelmRelease): Error {
  return failureOf(
    'InvalidRequest',
    `looking at Helm release ${namespace}/${name}: another operation is in progress (${status}); let it end, or helm rollback or uninstall it, then retry`,
  );
}
