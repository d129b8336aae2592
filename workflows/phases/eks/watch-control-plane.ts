/** The control plane's update, up or back, watched to its end. */
import { abortSlow, slowUpdateLines } from '../../messages/eks/slow-update.ts';
import type { Phase } from '../base/phase.ts';
import { watchSlow } from './slow-update.ts';
import type { UpdateOutcome } from '../../../activities/contract/eks.ts';

/** `also`: what people should know who are asked whether to wait on. */
export function watchControlPlane(phase: Phase, updateId: string, to: string, also: readonly string[] = []): Promise<UpdateOutcome> {
  const { controlPlaneTimeoutMs: timeoutMs } = phase.timing;
  return watchSlow(
    phase,
    { resource: { kind: 'cluster' }, updateId, to, timeoutMs, summary: `Wait for EKS update ${updateId}` },
    {
      what: `the control plane to ${to}`,
      detail: 'update',
      lines: ({ issues }, at) => [...slowUpdateLines(at, issues), ...also],
      other: abortSlow(),
    },
  );
}
