import { describe, expect, test } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { report } from '../../activities/checks/catalogue.ts';
import { atTarget, beforeHop } from '../../activities/checks/index.ts';
import { settle } from '../../activities/checks/settle.ts';
import type { ClusterFacts } from '../../domain/facts.ts';
import { type Finding, verdictOf } from '../../domain/findings.ts';
import { healthyFacts, seed000Facts, seed002Facts } from '../support/facts.ts';
import { QUICK } from './support/timing.ts';

const open = (findings: readonly Finding[]) => findings.filter((one) => one.status !== 'pass');
const say = (findings: readonly Finding[]) => open(findings).map((one) => `${one.code} ${one.severity} ${one.status}: ${one.message}`);
const facts = healthyFacts();
const from = facts.controlPlane.version;
const to = '1.34';

function before(change: Partial<ClusterFacts>): string[] {
  return say(beforeHop(healthyFacts(change), from, to)).filter((line) => !say(beforeHop(facts, from, to)).includes(line));
}

test('a healthy cluster may go', () => {
  expect(verdictOf(beforeHop(facts, from, to))).toBe('ready');
});

test('Karpenter outside the matrix stops nothing where the plan changes it first (seeds/000 and 002)', () => {
  const one = beforeHop(seed000Facts(), '1.31', '1.32');
  expect(verdictOf(one)).toBe('ready');
  expect(say(one).join('\n')).toContain('KAR005 recommended fail: Karpenter 1.1');
  const two = beforeHop(seed002Facts(), '1.32', '1.33');
  expect(verdictOf(two)).toBe('ready');
  expect(say(two).join('\n')).toContain('Karpenter 1.0.2 does not support Kubernetes 1.32 and 1.33. Karpenter 1.5.0 or newer does.');
});

describe('what stands against a hop', () => {
  test.each<[string, Partial<ClusterFacts>, string]>([
    [
      'a cluster that is not ACTIVE',
      { controlPlane: { ...facts.controlPlane, status: 'UPDATING' } },
      'EKS001 required fail: The cluster is UPDATING.',
    ],
    [
      'a health issue',
      {
        controlPlane: { ...facts.controlPlane, healthIssues: [{ code: 'KmsKeyDisabled', message: 'key is off', resourceIds: ['key-1'] }] },
      },
      'EKS001 required fail: The cluster is ACTIVE and EKS reports KmsKeyDisabled (key is off).',
    ],
    ['another update', { updateInProgress: { id: 'u1', type: 'LoggingUpdate' } }, 'EKS002 required fail: EKS is busy with LoggingUpdate.'],
    [
      'a version that EKS does not offer',
      { supportedVersions: [{ version: '1.33', status: 'STANDARD_SUPPORT' }] },
      'EKS007 required fail: EKS does not offer 1.34.',
    ],
    [
      'kubelets too far behind',
      { kubelets: [{ minor: '1.30', count: 3, owner: 'self-managed' }] },
      'K8S001 required fail: With the control plane at 1.34 these kubelets are out of range: 3 self-managed at 1.30.',
    ],
    [
      'Amazon Linux 2',
      { nodeGroups: [{ name: 'old', version: '1.32', amiType: 'AL2_x86_64', status: 'ACTIVE', healthIssues: [], desiredCount: 2 }] },
      'EKS010 required fail: node group old use Amazon Linux 2, which has no images for 1.34.',
    ],
    [
      'a degraded node group',
      {
        nodeGroups: [
          {
            name: 'w',
            version: '1.32',
            amiType: 'AL2023_x86_64_STANDARD',
            status: 'DEGRADED',
            healthIssues: [{ code: 'Ec2SubnetNotFound', message: '', resourceIds: [] }],
            desiredCount: 2,
          },
        ],
      },
      'EKS009 required fail: Node group w has Ec2SubnetNotFound.',
    ],
  ])('%s', (_what, change, line) => {
    expect(before(change)).toEqual([line]);
  });
});

describe('unknown is never a pass', () => {
  const denied = 'not permitted: it needs a right (403)';
  test.each<[string, Partial<ClusterFacts>, string]>([
    ['the updates in progress', {}, 'EKS002'],
    ['the managed node groups', {}, 'EKS009'],
    ['node group workers', {}, 'EKS009'],
    ['the add-ons', {}, 'EKS011'],
    ['add-on coredns', {}, 'EKS012'],
    ['the nodes', { kubelets: [] }, 'K8S001'],
    ['the Karpenter Deployment', { karpenter: undefined }, 'KAR001'],
    ['the Karpenter NodePools', {}, 'KAR002'],
    ['the istiod Deployments', { istio: undefined }, 'IST001'],
    ['the Kubernetes versions that EKS offers', { supportedVersions: [] }, 'EKS007'],
  ])('%s that cannot be read', (what, change, code) => {
    const findings = beforeHop(healthyFacts({ ...change, unknowns: [{ what, why: denied }] }), from, to);
    expect(findings.filter((one) => one.status === 'unknown' && one.severity === 'required').map((one) => one.code)).toContain(code);
    expect(verdictOf(findings)).toBe('unknowns-only');
  });

  test('A24: an add-on of which EKS lists no versions', () => {
    const [first, ...rest] = facts.addOns;
    if (first === undefined) throw new Error('the healthy cluster has add-ons');
    const findings = beforeHop(healthyFacts({ addOns: [{ ...first, offered: {} }, ...rest] }), from, to);
    expect(verdictOf(findings)).toBe('unknowns-only');
  });
});

test('at the end everything that Belay rolls must be at the target', () => {
  const left = say(
    atTarget(
      healthyFacts({
        kubelets: [
          { minor: '1.33', count: 2, owner: 'karpenter' },
          { minor: '1.33', count: 1, owner: 'fargate' },
        ],
      }),
      to,
    ),
  );
  expect(left).toContain('K8S007 required fail: These nodes are not at 1.34: 2 karpenter at 1.33.');
  expect(left).toContain('K8S009 recommended fail: These nodes are rolled by others and are not at 1.34: 1 fargate at 1.33.');
  expect(left.some((line) => line.startsWith('EKS006 required fail: The control plane is at 1.33, not at 1.34.'))).toBe(true);
});

describe('what crosses the boundary', () => {
  const many = (count: number, severity: Finding['severity']): Finding[] =>
    Array.from({ length: count }, (_, i) => ({
      code: `X-${i}`,
      title: 't',
      severity,
      status: 'fail',
      message: 'm',
      resources: [],
      resourceCount: 0,
    }));

  test('is small: at most forty, required first, never without saying that some are left out', () => {
    const { findings, passedCount } = report([...many(60, 'recommended'), ...many(3, 'required')]);
    expect(findings).toHaveLength(40);
    expect(findings.slice(0, 3).every((one) => one.severity === 'required')).toBe(true);
    expect(findings.at(-1)?.message).toBe('24 more findings are left out here; fix the ones above and check again.');
    expect(passedCount).toBe(0);
  });

  test('cutting never turns a refusal into a go', () => {
    expect(verdictOf(report(many(100, 'required')).findings)).toBe('required-findings');
  });
});

describe('settling after a change', () => {
  const pass: Finding = { code: 'X', title: 't', severity: 'required', status: 'pass', message: 'm', resources: [], resourceCount: 0 };

  test('a failure that goes away is not reported', async () => {
    let looks = 0;
    const result = await settle(QUICK, 'verifying', async () => {
      looks += 1;
      return [{ ...pass, status: looks < 3 ? 'fail' : 'pass' }];
    });
    expect(result).toEqual({ findings: [], passedCount: 1 });
  });

  test('K1: a server that is away longer than things take to settle is waited for, as long as weather may last', async () => {
    const backAtMs = Date.now() + 250;
    const result = await settle(
      QUICK,
      'verifying',
      async () => {
        if (Date.now() < backAtMs) throw ApplicationFailure.retryable('reading: the connection was refused', 'Unavailable');
        return [pass];
      },
      60,
    );
    expect(result).toEqual({ findings: [], passedCount: 1 });
  });

  test('checks that could never be made are unknown, not an empty report', async () => {
    const down = () => Promise.reject(ApplicationFailure.retryable('reading: the connection was refused', 'Unavailable'));
    const { findings } = await settle(QUICK, 'verifying', down, 60);
    expect(verdictOf(findings)).toBe('unknowns-only');
    expect(findings[0]?.message).toContain('the connection was refused');
  });
});
