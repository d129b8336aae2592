/** People of one cluster read a channel that other clusters share: they do what is asked of them, and nothing that is asked of others. */
import { expect, test } from 'vitest';
import { rightsOf, takePart } from '../../../../rehearsal/play/stage/taking-part.ts';
import { BELAY_ACCESS_KEY } from '../../../../rehearsal/world/core/rights.ts';
import { small } from '../../../../rehearsal/scenarios/small.ts';
import type { Message } from '../../../../rehearsal/neighbours/slack/methods/messages.ts';
import type { SlackStandIn } from '../../../../rehearsal/neighbours/slack/server.ts';
import { steppedWorld } from '../../support.ts';

const RUN = 'eks-upgrade/111122223333/eu-central-1';
const GATE = 'failed:control-plane@1.32#1';

/** A channel into which a test speaks, and a world whose operator mends something before a press. */
function channel() {
  let hear = (_message: Message): void => undefined;
  let feel = (_value: string): void => undefined;
  const slack: Pick<SlackStandIn, 'onMessage' | 'onClick'> = {
    onMessage: (listener) => {
      hear = listener;
      return () => void (hear = () => undefined);
    },
    onClick: (listener) => {
      feel = (value) => void listener({ user: 'U0SAM', value, actionId: 'gate/retry' } as Parameters<typeof listener>[0]);
      return () => void (feel = () => undefined);
    },
  };
  const built = steppedWorld({
    ...small,
    mends: [{ gate: GATE, choice: 'retry', does: 'somebody frees addresses', act: () => undefined }],
  });
  const leave = takePart(slack, built);
  const story = () => built.world.journal.events.map(({ text }) => text);
  const asks = (cluster: string) => {
    const payload = { ask_component: 'karpenter', ask_name: 'karpenter', ask_version: '1.9.2', ask_managed_by: 'argocd' };
    const metadata = { event_type: 'belay', event_payload: { ...payload, upgrade: `${RUN}/${cluster}` } };
    hear({ ts: '1', text: 'ask', blocks: [], metadata } as unknown as Message);
  };
  const presses = (cluster: string) =>
    feel(JSON.stringify({ gateId: GATE, workflowId: `${RUN}/${cluster}/control-plane@1.32`, choice: 'retry', revision: 1 }));
  return { asks, presses, story, leave };
}

test('an ask of another cluster, also of one whose name begins alike, is left to its people', () => {
  const { asks, story, leave } = channel();
  asks('small-2');
  asks('other');
  expect(story()).toEqual([]);
  asks('small');
  expect(story()).toEqual(['somebody opens a pull request (argocd): karpenter karpenter to 1.9.2']);
  leave();
  asks('small');
  expect(story()).toHaveLength(1);
});

test('a press of the same gate of another cluster mends nothing here', () => {
  const { presses, story } = channel();
  presses('small-2');
  expect(story()).toEqual([]);
  presses('small');
  expect(story()).toEqual(['somebody frees addresses']);
});

test('rights are those of the cluster that is asked about: where it names a role, Belay’s own key may nothing', () => {
  const [home, other] = [steppedWorld(small).world, steppedWorld(small).world];
  const role = 'arn:aws:iam::444455556666:role/belay';
  const forbidden = rightsOf((world) => (world === other ? { role } : {}));
  expect([home, other].map((world) => forbidden('eks:DescribeCluster', BELAY_ACCESS_KEY, world))).toEqual([false, true]);
  other.eks.assumed.push({ accessKeyId: 'ASIA1', role, session: 'belay', tags: {}, atMs: 0, endsAtMs: Number.POSITIVE_INFINITY });
  expect(forbidden('eks:DescribeCluster', 'ASIA1', other)).toBe(false);
  expect(forbidden('eks:DeleteCluster', 'ASIA1', other)).toBe(true);
  expect(forbidden('eks:DeleteCluster', 'AKIAPERSON', other)).toBe(false);
});
