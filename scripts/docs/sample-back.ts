/** A cluster that has been moved up two days ago, on which every phase of a way back has something to do: docs/reference/phases.md shows its plan. */
import { parseConfig } from '../../worker/config/config.ts';
import { planRollback } from '../../domain/plan/rollback/plan-rollback.ts';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import { wayBack } from '../../domain/facts/rollback-window.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';

const FROM = '1.34';
const TO = '1.33';
const MOVED_AT = '2026-03-02T09:00:00.000Z';
const READ_AT = '2026-03-04T09:00:00.000Z';

const CONFIG = `clusters:
  prod: { region: eu-central-1, account: "111122223333" }
approvals: { users: [U012AB3CD] }
slack: { channel: C012AB3CD }
`;

/** Throws when it is refused: then the sample has to be brought up to date. */
export function sampleBackPlan(): UpgradePlan {
  const policy = policyOf(parseConfig(CONFIG, 'belay.yaml'), 'prod');
  const older = { version: 'v1.33.3-eksbuild.4', isDefault: false };
  const well = { status: 'ACTIVE', healthIssues: [] };
  const result = planRollback(
    {
      cluster: policy.cluster,
      controlPlane: { arn: 'arn:aws:eks:eu-central-1:111122223333:cluster/prod', version: FROM, autoMode: false, ...well },
      supportedVersions: [FROM, TO].map((version) => ({ version, endOfStandardSupport: '2026-12-02' })),
      nodeGroups: [{ name: 'system', version: FROM, amiType: 'AL2023_x86_64_STANDARD', desiredCount: 3, ...well }],
      addOns: [
        {
          name: 'kube-proxy',
          version: 'v1.34.0-eksbuild.2',
          managed: true,
          offered: { [FROM]: [{ version: 'v1.34.0-eksbuild.2', isDefault: true }, older], [TO]: [{ ...older, isDefault: true }] },
          ...well,
        },
      ],
      kubelets: [
        { minor: FROM, count: 3, owner: 'node-group' },
        { minor: FROM, count: 4, owner: 'karpenter' },
      ],
      karpenter: {
        version: '1.9.0',
        namespace: 'kube-system',
        deployment: 'karpenter',
        nodePools: [{ name: 'default', nodeClass: 'default', ready: true, nodeCount: 4, budgets: [{ nodes: '10%' }] }],
        expiringSoonCount: 0,
        nodeClasses: [{ name: 'default', ready: true, alias: 'al2023@latest', amiIds: [], selects: 'alias' }],
      },
      amiBuilds: [{ alias: 'al2023@latest', minor: TO, images: { x86_64: 'ami-0a1b2c3d', arm64: 'ami-0d3c2b1a' } }],
      unknowns: [],
      readAt: READ_AT,
    },
    { back: wayBack(FROM, [{ type: 'VersionUpdate', to: FROM, createdAt: MOVED_AT }], READ_AT) },
    policy,
  );
  if (result.kind === 'plan') return result.plan;
  throw new Error(`The sample cluster has no way back: ${result.violations.map(({ message }) => message).join(' ')}`);
}
