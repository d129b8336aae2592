/** The role of Karpenter's controller on its way to 1.0: judged by the documents that IAM has, unknown where they cannot be read. */
import { afterEach, expect, test } from 'vitest';
import type { AccountClients } from '../../../../activities/clients/aws/account-clients.ts';
import { judgeRole } from '../../../../activities/karpenter/migration/iam-role.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { karpenterPolicy } from '../../../../rehearsal/scenarios/parts/karpenter-policies.ts';
import type { World } from '../../../../rehearsal/world/world.ts';
import { startTwin, type Twin } from '../../support/twin.ts';

const ROLE = 'karpenter-karpenter-beta-flux';
let twin: Twin;
afterEach(() => twin.close());

async function open(change: (world: World) => void = () => undefined): Promise<void> {
  twin = await startTwin('karpenter-beta-flux');
  change(twin.built.world);
}

async function judged(step: 'v1beta1' | 'v1') {
  const { kubernetes } = await twin.clients.clusterPorts(twin.ref);
  return await judgeRole(twin.clients, kubernetes, twin.ref, step);
}

const attach = ({ eks }: World): void =>
  void eks.controllerRoles[0]?.policies?.push({ name: 'of-1.0', document: karpenterPolicy('v1', eks.cluster), managed: true });

test('the policy of 0.37 alone: what it had is granted, and what 1.0 asks beyond it is named', async () => {
  await open();
  expect((await judged('v1beta1')).granted).toBe('yes');
  const { granted, lines } = await judged('v1');
  expect(granted).toBe('no');
  expect(lines).toContainEqual(expect.stringMatching(`^FAILED role ${ROLE} lacks ec2:CreateTags on instance .*eks:eks-cluster-name`));
});

test('the one of 1.0 attached beside it: granted, and nothing stands in the way back', async () => {
  await open(attach);
  expect(await judged('v1')).toEqual({ granted: 'yes', lines: [expect.stringContaining(`role ${ROLE} allows what the API v1 does`)] });
});

test('the one of 1.0 instead of it: granted, and the way back is said to need the other', async () => {
  await open((world) => {
    attach(world);
    world.eks.controllerRoles[0]?.policies?.shift();
  });
  const { granted, lines } = await judged('v1');
  expect([granted, lines[1]]).toEqual(['yes', expect.stringMatching('^A rollback needs the policy of 0.3x as well')]);
});

test('a permissions boundary is not judged: unknown, though the policies would do', async () => {
  await open((world) => {
    attach(world);
    Object.assign(world.eks.controllerRoles[0] ?? {}, { boundary: 'arn:aws:iam::111122223333:policy/edge' });
  });
  expect(await judged('v1')).toEqual({ granted: 'unknown', lines: [expect.stringContaining('permissions boundary')] });
});

test.each(['iam:ListRolePolicies', 'iam:GetRolePolicy', 'iam:ListAttachedRolePolicies', 'iam:GetPolicy', 'iam:GetPolicyVersion'])(
  'without %s it is unknown, and the missing right is said',
  async (right) => {
    await open(attach);
    twin.grant({ aws: (action) => action !== right });
    expect(await judged('v1')).toEqual({ granted: 'unknown', lines: [expect.stringMatching(`^UNKNOWN .*${right}`)] });
  },
);

test('a failure that passes is no verdict', async () => {
  await open();
  const throttled = async () => Promise.reject(failureOf('Throttled', 'rate exceeded'));
  const account = () => ({ iam: async () => ({ getRole: throttled }) }) as unknown as AccountClients;
  const { kubernetes } = await twin.clients.clusterPorts(twin.ref);
  await expect(judgeRole({ ...twin.clients, account }, kubernetes, twin.ref, 'v1')).rejects.toMatchObject({ type: 'Throttled' });
});

test('a role that nothing names, and one that is gone, are unknown', async () => {
  await open(({ eks }) => void (eks.controllerRoles.length = 0));
  expect(await judged('v1')).toEqual({ granted: 'unknown', lines: [expect.stringMatching(/^UNKNOWN .*cannot be found/)] });
  twin.built.world.store.update('serviceaccounts', 'karpenter', 'kube-system', ({ metadata }) => void delete metadata.annotations);
  expect(await judged('v1')).toEqual({ granted: 'unknown', lines: [expect.stringContaining('its role is not known')] });
});
