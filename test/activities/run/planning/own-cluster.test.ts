/** O34: how a worker tells whether its own pod runs on the cluster to be upgraded; what it cannot tell is never a pass. */
import { describe, expect, test } from 'vitest';
import type { KubernetesPort } from '../../../../activities/contract/ports.ts';
import { ownCluster, type OwnPod } from '../../../../activities/run/planning/own-cluster.ts';
import type { ClusterFacts } from '../../../../domain/facts/facts.ts';
import { planUpgrade } from '../../../../domain/plan/plan-upgrade.ts';
import { healthyFacts, NOW, policy } from '../../../support/facts.ts';

const ID = '5A1F0E9D8C7B6A5F4E3D2C1B0A998877';
const OTHER = '00000000000000000000000000000000';
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const IRSA = '/var/run/secrets/eks.amazonaws.com/serviceaccount/token';
const POD_IDENTITY = '/var/run/secrets/pods.eks.amazonaws.com/serviceaccount/eks-pod-identity-token';

const jwt = (iss: unknown): string => `e30.${Buffer.from(JSON.stringify({ iss })).toString('base64url')}.c2ln`;
const eks = (id: string): string => jwt(`https://oidc.eks.eu-west-1.amazonaws.com/id/${id}`);
const IN_POD = { KUBERNETES_SERVICE_HOST: '10.100.0.1', KUBERNETES_SERVICE_PORT_HTTPS: '443' };

interface Seen {
  env?: NodeJS.ProcessEnv;
  files?: Record<string, string>;
  answer?: { status: number; text?: string } | Error;
  identity?: string | null;
  uid?: string;
}

const MOUNTED = { [`${SERVICE_ACCOUNT}/token`]: jwt('kubernetes/serviceaccount'), [`${SERVICE_ACCOUNT}/ca.crt`]: 'CA' };
const uidText = (uid: string): string => JSON.stringify({ metadata: { name: 'kube-system', uid } });

async function look({ env = IN_POD, files = {}, answer = new Error('not asked'), identity, uid = 'u-1' }: Seen) {
  const pod: OwnPod = {
    env,
    read: async (path) => {
      const text = files[path];
      if (text === undefined) throw new Error('ENOENT');
      return text;
    },
    ask: async (path) => {
      expect(path).toBe('/api/v1/namespaces/kube-system');
      if (answer instanceof Error) throw answer;
      return { status: answer.status, text: answer.text ?? '' };
    },
  };
  const namespaces = [{ metadata: { name: 'default', uid: 'u-9' } }, { metadata: { name: 'kube-system', uid } }];
  const kubernetes = {
    list: async (_: unknown, keep: (each: unknown) => unknown) => namespaces.filter((each) => keep(each) !== undefined),
  } as unknown as Pick<KubernetesPort, 'list'>;
  const known = identity === null ? {} : { identity: identity ?? `2024-03-01T09:00:00.000Z ${ID}` };
  return await ownCluster(pod, { kubernetes, ...known });
}

describe('O34: where the worker runs', () => {
  test.each<[string, Seen, unknown]>([
    ['in no pod', { env: {} }, { kind: 'no-pod' }],
    [
      'in no pod, with a token of somewhere',
      { env: { AWS_WEB_IDENTITY_TOKEN_FILE: IRSA }, files: { [IRSA]: eks(ID) } },
      { kind: 'no-pod' },
    ],
    ['a service account of this cluster', { files: { [`${SERVICE_ACCOUNT}/token`]: eks(ID) } }, { kind: 'same' }],
    ['a service account of another one', { files: { [`${SERVICE_ACCOUNT}/token`]: eks(OTHER) } }, { kind: 'other' }],
    [
      'IAM role for service accounts alone',
      { env: { ...IN_POD, AWS_WEB_IDENTITY_TOKEN_FILE: IRSA }, files: { [IRSA]: `${eks(ID)}\n` } },
      { kind: 'same' },
    ],
    [
      'Pod Identity alone',
      { env: { ...IN_POD, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: POD_IDENTITY }, files: { [POD_IDENTITY]: eks(OTHER) } },
      { kind: 'other' },
    ],
    [
      'a token of a login elsewhere beside the service account’s',
      {
        env: { ...IN_POD, AWS_WEB_IDENTITY_TOKEN_FILE: '/ci' },
        files: { '/ci': jwt('https://token.actions.githubusercontent.com'), [`${SERVICE_ACCOUNT}/token`]: eks(ID) },
      },
      { kind: 'same' },
    ],
    [
      'no token at all',
      {},
      { kind: 'unknown', why: 'it runs in a pod that has no token of a service account, which would name the cluster' },
    ],
    ['the UID of kube-system: the same', { files: MOUNTED, answer: { status: 200, text: uidText('u-1') } }, { kind: 'same' }],
    ['the UID of kube-system: another', { files: MOUNTED, answer: { status: 200, text: uidText('u-2') } }, { kind: 'other' }],
    [
      'EKS names no issuer: by the UID',
      { identity: null, files: { ...MOUNTED, [`${SERVICE_ACCOUNT}/token`]: eks(ID) }, answer: { status: 200, text: uidText('u-1') } },
      { kind: 'same' },
    ],
    [
      'the UID may not be read',
      { files: MOUNTED, answer: { status: 403 } },
      {
        kind: 'unknown',
        why: 'its pod’s service account may not get namespace kube-system of its own cluster (the API server answers 403)',
      },
    ],
    [
      'its API server is away',
      { files: MOUNTED, answer: new Error('connect ECONNREFUSED') },
      { kind: 'unknown', why: 'its pod’s own API server does not answer: connect ECONNREFUSED' },
    ],
    [
      'its API server answers something else',
      { files: MOUNTED, answer: { status: 200, text: '{}' } },
      { kind: 'unknown', why: 'its pod’s own API server does not say the UID of namespace kube-system (it answers 200)' },
    ],
    [
      'the cluster has no UID to compare',
      { files: MOUNTED, answer: { status: 200, text: uidText('u-1') }, uid: '' },
      { kind: 'unknown', why: 'the cluster does not say the UID of its namespace kube-system' },
    ],
    [
      'a token that is no JWT, and nothing to ask with',
      { files: { [`${SERVICE_ACCOUNT}/token`]: 'x' } },
      { kind: 'unknown', why: 'no token of its pod is of EKS, and none is mounted to ask the pod’s own API server with' },
    ],
  ])('%s', async (_, seen, found) => {
    expect(await look(seen)).toEqual(found);
  });
});

describe('O34: what a plan says of it', () => {
  const planned = (change: Partial<ClusterFacts>) => planUpgrade(healthyFacts(change), { target: '1.34', policy: policy(), now: NOW });
  const about = (change: Partial<ClusterFacts>) => {
    const result = planned(change);
    return result.kind === 'plan' ? result.plan.findings.filter(({ code }) => code === 'PLN006') : result;
  };

  test('refused where the worker’s own pod runs on the cluster, with the ways out', () => {
    expect(planned({ workerOnCluster: { allowed: false } })).toEqual({
      kind: 'refused',
      violations: [
        {
          rule: 'worker-elsewhere',
          message: "The worker's own pod runs on prod: the upgrade would replace the node that runs it.",
          remedy:
            'Run the worker on another cluster or machine. If its node is not replaced (Fargate, a node group of its own that you roll yourself), set allowWorkerOnCluster: true for the cluster in belay.yaml.',
        },
      ],
    });
  });

  test('allowed by belay.yaml: planned, and said', () => {
    expect(about({ workerOnCluster: { allowed: true } })).toMatchObject([
      {
        severity: 'recommended',
        status: 'fail',
        message: "The worker's own pod runs on prod, which belay.yaml allows (allowWorkerOnCluster).",
      },
    ]);
  });

  test('not known: a finding of its own that is required and unknown', () => {
    expect(about({ workerPlaceUnknown: 'it has no token' })).toMatchObject([
      { severity: 'required', status: 'unknown', message: "Whether the worker's own pod runs on prod is not known: it has no token." },
    ]);
  });

  test('elsewhere, or in no pod: nothing is said', () => {
    expect(about({})).toEqual([]);
  });
});
