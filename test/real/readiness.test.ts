/** `belay check` on a real API server with controllers, on which defects are planted; EKS is the twin's. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { CATALOGUE } from '../../domain/readiness/catalogue.ts';
import { type CheckFinding, severityAt } from '../../domain/readiness/model/check.ts';
import type { ReadinessReport } from '../../domain/readiness/report.ts';
import { SOURCES, type Source } from '../../domain/readiness/model/sources.ts';
import { parseKubernetesVersion } from '../../domain/core/version.ts';
import { writeKubeconfig } from '../../rehearsal/world/core/endpoints.ts';
import { READER, TOKENS } from '../contract/server.ts';
import { BELAY, openRealGround, type RealGround } from '../support/check-ground.ts';
import { printed } from './aws/twin.ts';
import { plantDefects } from './support/defects.ts';

const LIMIT_MS = 360_000;
/** Deprecated since 1.34, and not served unless asked for. */
const OLD = 'networking.k8s.io/v1beta1';
const TARGET = '1.35';

let ground: RealGround;

beforeAll(async () => {
  ground = await openRealGround('small', '1.34', { controllers: true, served: [OLD] });
  ground.stage.built.world.eks.cluster.version = '1.34';
  await plantDefects(ground.api, OLD);
  // As EKS's add-on keeps it, in words that are no defect.
  const metadata = { name: 'kube-proxy-config' };
  await ground.api.post('/api/v1/namespaces/kube-system/configmaps', { metadata, data: { config: 'mode: iptables\n' } });
}, LIMIT_MS);
afterAll(() => ground?.close());

const belay = (args: string[], env = ground.env): Promise<string> =>
  printed(process.execPath, ['--no-warnings', BELAY, 'check', ...args], env);

async function check(env = ground.env): Promise<ReadinessReport> {
  return JSON.parse(await belay([ground.cluster, '--target', TARGET, '--format', 'json', '--fail-on', 'never'], env));
}

describe('what is planted is found, with its name', () => {
  let report: ReadinessReport;
  beforeAll(async () => void (report = await check()), LIMIT_MS);

  test.each([
    {
      code: 'K8S015',
      what: 'an API that is gone, in an annotation of kubectl',
      resources: [
        {
          kind: 'Ingress',
          namespace: 'shop',
          name: 'front',
          note: 'extensions/v1beta1 Ingress, gone in 1.22; write networking.k8s.io/v1 Ingress',
        },
      ],
    },
    {
      code: 'K8S016',
      what: 'a client that calls a deprecated API',
      resources: [
        { kind: 'ServiceCIDR', name: 'called', note: `${OLD} ServiceCIDR, gone in 1.37; write networking.k8s.io/v1 ServiceCIDR` },
      ],
    },
    {
      code: 'K8S018',
      what: 'a budget that can never allow an eviction',
      resources: [{ kind: 'PodDisruptionBudget', namespace: 'shop', name: 'never', note: 'maxUnavailable is 0' }],
    },
    { code: 'K8S019', what: 'a budget without pods', resources: [{ kind: 'PodDisruptionBudget', namespace: 'shop', name: 'idle' }] },
    {
      code: 'K8S011',
      what: 'a webhook that must answer, and nobody behind it',
      resources: [
        {
          kind: 'ValidatingWebhookConfiguration',
          name: 'guard',
          note: 'guard.shop.example: Service shop/guard has no ready endpoint; it is asked about pods',
        },
      ],
    },
    {
      code: 'K8S030',
      what: 'an aggregated API whose server is away',
      resources: [{ kind: 'APIService', name: 'v1.stock.example', note: expect.stringContaining('guard') }],
    },
    {
      code: 'K8S031',
      what: 'custom resources in an old stored version',
      resources: [{ kind: 'CustomResourceDefinition', name: 'carts.shop.example', note: 'stored in v1alpha1' }],
    },
  ])('$code: $what', ({ code, resources }) => {
    expect(report.findings.filter((finding) => finding.code === code)).toMatchObject([{ status: 'fail', resources }]);
  });
});

describe('rights', () => {
  /** A kubeconfig of somebody who has no rights but those that are granted here. */
  const asReader = (): NodeJS.ProcessEnv => {
    const { env, directory, cluster, stage } = ground;
    const { endpoint, caData } = stage.built.world.eks.cluster;
    writeKubeconfig(join(directory, 'reader'), { cluster, url: endpoint, caData, token: TOKENS.reader });
    const file = join(directory, 'reader.yaml');
    const config = parseDocument(readFileSync(env['BELAY_CONFIG'] ?? '', 'utf8'));
    config.setIn(['clusters', cluster, 'kubernetes', 'kubeconfig'], './reader');
    writeFileSync(file, String(config));
    return { ...env, BELAY_CONFIG: file };
  };
  const unknowns = ({ findings }: ReadinessReport): CheckFinding[] => findings.filter(({ status }) => status === 'unknown');
  const inForce = CATALOGUE.filter((each) => severityAt(each, parseKubernetesVersion(TARGET)) !== undefined);
  const readBy = (wanted: (source: Source) => boolean): string[] =>
    inForce.filter(({ reads }) => reads.some((id) => wanted(SOURCES[id]))).map(({ code }) => code);

  test(
    'none: every check that asks Kubernetes is unknown, and says what to allow',
    async () => {
      const found = unknowns(await check(asReader()));
      expect(new Set(found.map(({ code }) => code))).toEqual(new Set(readBy(({ rbac }) => rbac !== undefined)));
      for (const { message, remediation } of found) {
        const [, verb, thing] = /cannot (\w+) (?:resource|path) "([^"]+)"/.exec(message) ?? [];
        expect(remediation).toMatch(new RegExp(`^Allow .*\\b${verb} on .*${thing}`));
      }
      expect(found.find(({ code }) => code === 'K8S025')).toMatchObject({
        message: expect.stringContaining(`pods is forbidden: User "${READER.name}" cannot list resource "pods" in API group ""`),
        remediation: 'Allow list on pods.',
      });
    },
    LIMIT_MS,
  );

  test(
    'those that --permissions prints: everything is seen but what is optional',
    async () => {
      const printedText = await belay(['--permissions']);
      const role: { metadata: { name: string } } = parse(printedText.slice(printedText.indexOf('apiVersion:')));
      const group = '/apis/rbac.authorization.k8s.io/v1';
      await ground.api.post(`${group}/clusterroles`, role);
      await ground.api.post(`${group}/clusterrolebindings`, {
        metadata: { name: 'reader' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role.metadata.name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: READER.group }],
      });
      expect(unknowns(await check(asReader())).map(({ code, message }) => [code, message])).toEqual(
        readBy(({ optional }) => optional === true).map((code) => [code, expect.anything()]),
      );
    },
    LIMIT_MS,
  );
});
