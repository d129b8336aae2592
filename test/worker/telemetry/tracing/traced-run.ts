/** A run that has ended: a step at once, a step at the second try, one that never began, and gates of all ends. */
import type { Context } from '@temporalio/activity';
import { defaultPayloadConverter } from '@temporalio/common';
import type { UpgradeReport } from '../../../../domain/run/record/status.ts';
import type { GateState } from '../../../../domain/gates/gate.ts';
import type { OpenTracing } from '../../../../worker/telemetry/tracing/open.ts';
import { RUN_HEADER } from '../../../../workflows/contract/ids.ts';

export const RUN = { workflowId: 'eks-upgrade/111122223333/eu-west-1/prod', runId: '0199-run' };
const SECRET = 'token xoxb-1-secret of node ip-10-0-0-1';
const at = (time: string): string => `2026-11-0${time}:00.000Z`;

function gate(id: string, opened: string, ended: string, how: Record<string, unknown> & { kind: GateState['kind'] }): GateState {
  const state = { gate: { id, openedAt: at(opened), title: SECRET }, votes: [], at: at(ended), ...how };
  return state as unknown as GateState;
}

const decided = (choice: string, ended: string): { kind: 'decided'; decision: unknown } => ({
  kind: 'decided',
  decision: { choice, at: at(ended), reason: SECRET, actor: { kind: 'slack', id: 'U1', name: SECRET } },
});

export const REPORT = {
  outcome: 'completed',
  decisions: [
    gate('before:control-plane@1.34#1', '2T09:10', '5T09:10', decided('approve', '5T09:10')),
    gate('failed:node-groups@1.34#1', '5T10:00', '5T10:30', decided('retry', '5T10:30')),
    gate('blocked:node-groups@1.34/node-1#1', '5T10:40', '5T10:50', { kind: 'withdrawn', why: SECRET }),
    gate('before:validation@1.34#1', '5T11:00', '5T11:30', { kind: 'expired' }),
    gate('before:validation@1.34#2', '5T11:30', '5T11:30', { kind: 'open' }),
    gate('no gate of ours', '5T11:00', '5T11:30', { kind: 'expired' }),
  ],
  leftBehind: [{ what: SECRET, why: SECRET, kept: true }],
  status: {
    ...RUN,
    cluster: { account: '111122223333', region: 'eu-west-1', name: 'prod' },
    startedAt: at('2T09:00'),
    endedAt: at('5T12:00'),
    headline: SECRET,
    steps: [
      { id: 'pre-checks@1.34', title: SECRET, state: 'completed', startedAt: at('2T09:01'), endedAt: at('2T09:09'), note: SECRET },
      { id: 'control-plane@1.34', title: SECRET, state: 'completed', startedAt: at('5T09:10'), endedAt: at('5T09:50') },
      { id: 'node-groups@1.34', title: SECRET, state: 'failed', startedAt: at('5T09:50') },
      { id: 'validation@1.34', title: SECRET, state: 'planned' },
    ],
  },
} as unknown as UpgradeReport;

/** An activity of a step of that run, within what the process wraps around it. */
export async function performed<T>(
  { activities }: Pick<OpenTracing, 'activities'>,
  activity: () => Promise<T>,
  { step = 'control-plane@1.34', run = RUN.runId, attempt = 1 }: { step?: string; run?: string; attempt?: number } = {},
): Promise<T> {
  const workflowId = step === '' ? RUN.workflowId : `${RUN.workflowId}/${step}`;
  const info = { workflowExecution: { workflowId, runId: 'of-the-step' }, activityType: 'watchUpdate', attempt };
  const input = { args: [], headers: { [RUN_HEADER]: defaultPayloadConverter.toPayload(run) } };
  const wrapped = activities.reduceRight<() => Promise<unknown>>((next, make) => {
    const { inbound } = make({ info } as Context);
    return () => inbound?.execute?.(input, next) ?? next();
  }, activity);
  return (await wrapped()) as T;
}
