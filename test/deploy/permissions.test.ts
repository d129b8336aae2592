/** `belay permissions`: the rights of what a belay.yaml uses, named and narrowed. */
import { describe, expect, test } from 'vitest';
import { kubernetesManifest } from '../../cli/permissions/kubernetes.ts';
import { asTerraform } from '../../cli/permissions/terraform.ts';
import { awsUseOf, placeOf, roleOptionsOf } from '../../domain/policy/permissions/use.ts';
import { validateConfig } from '../../domain/policy/config/config.ts';
import { BELAY_GROUPS } from '../../domain/policy/permissions/admission.ts';
import { CHANGES } from '../../domain/policy/permissions/changes.ts';
import { ADMISSION_OPTIONS } from '../../domain/policy/permissions/options.ts';
import { accessPart, iamStatements, policyDocument } from '../../domain/policy/permissions/iam.ts';
import { textOf, yamlOf } from './files.ts';
import { IAM_PARTS, partitionOf, type PolicyDocument } from '../../domain/policy/permissions/iam-use.ts';

const NOTHING_NAMED = { addOnRoles: [], nodeRoles: [], launchTemplates: [], also: [] } as const;
const BY_OTHERS = {
  managedBy: { controlPlane: 'terraform', nodeGroups: 'terraform', addOns: 'terraform', karpenter: 'argocd', istio: 'argocd' },
  health: { scrape: false },
};
const EVERYTHING = {
  nodeGroups: { selfManaged: 'refresh' },
  controlPlane: { logging: ['audit'] },
  prometheus: { url: 'https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-1', sigv4: {} },
  karpenter: { canaryNode: 'general' },
  optionalRole: true,
};

function configOf(cluster: object, region = 'eu-west-1') {
  return validateConfig(
    {
      clusters: { prod: { region, account: '123456789012', ...cluster } },
      approvals: { users: ['U012AB3CD'] },
      slack: { channel: 'C012AB3CD' },
    },
    { fileName: 'belay.yaml' },
  );
}

function policyOf(cluster: object, named: Partial<Parameters<typeof awsUseOf>[2]> = {}, region?: string): PolicyDocument {
  const config = configOf(cluster, region);
  const use = awsUseOf(config, 'prod', { ...NOTHING_NAMED, ...named });
  return policyDocument(IAM_PARTS.flatMap((part) => iamStatements(part, placeOf(config, 'prod'), use)));
}

const actionsIn = ({ Statement }: PolicyDocument): string[] => Statement.flatMap(({ Action }) => Action);
const writesIn = (policy: PolicyDocument): string[] => actionsIn(accessPart(policy, 'write') ?? { Version: '2012-10-17', Statement: [] });

describe('belay permissions, of AWS', () => {
  test('RS7: a cluster that others change has no write', () => {
    expect(writesIn(policyOf(BY_OTHERS))).toEqual([]);
    expect(writesIn(policyOf({ ...BY_OTHERS, managedBy: { ...BY_OTHERS.managedBy, addOns: 'eks' } }))).toEqual(['eks:UpdateAddon']);
  });

  test('RS7: everything that belay.yaml uses is every action of deploy/', () => {
    const health = {
      checks: {
        latency: {
          cloudWatch: { namespace: 'AWS/ApplicationELB', metric: 'TargetResponseTime', stat: 'p99' },
          failWhen: { operator: '>', value: 1 },
        },
      },
    };
    const all = policyOf({ ...EVERYTHING, health }, { addOnRoles: ['ebs'], nodeRoles: ['nodes'], also: ['karpenter-migration'] });
    const deployed = IAM_PARTS.flatMap((part) => actionsIn(JSON.parse(textOf(`deploy/${part}.json`))));
    expect(actionsIn(all).sort()).toEqual(deployed.sort());
  });

  test('RS7: changes are of the cluster that is named, or of what has its tag', () => {
    const writes = accessPart(policyOf(EVERYTHING, { addOnRoles: ['ebs'], nodeRoles: ['nodes'] }), 'write')?.Statement ?? [];
    expect(writes.length).toBeGreaterThan(5);
    const wide = writes.filter(({ Resource, Condition }) => {
      const tagged = JSON.stringify(Condition ?? {}).includes('"aws:ResourceTag/belay":"prod"');
      const named = Resource !== '*' && Resource.every((arn) => /:(cluster|nodegroup|addon)\/prod(\/|$)|:role\/(ebs|nodes)$/.test(arn));
      return !tagged && !named;
    });
    // A launch of instances is many resources; those of a launch template of the account alone.
    expect(wide.map(({ Action, Condition }) => [Action, Condition])).toEqual([
      [
        ['ec2:RunInstances'],
        {
          Bool: { 'ec2:IsLaunchTemplateResource': 'true' },
          ArnLike: { 'ec2:LaunchTemplate': ['arn:aws:ec2:eu-west-1:123456789012:launch-template/*'] },
        },
      ],
      // Where the launch template has tags for instances or volumes, Auto Scaling refuses its version without it; as part of a launch alone.
      [['ec2:CreateTags'], { StringEquals: { 'ec2:CreateAction': 'RunInstances' } }],
      // Where it names an image of Amazon's by a parameter, EC2 and Auto Scaling refuse it without. They are public.
      [['ssm:GetParameters'], undefined],
    ]);
  });

  test('RS7: roles are passed by name, and to one service', () => {
    const passed = ({ Statement }: PolicyDocument) => Statement.filter(({ Action }) => Action.includes('iam:PassRole'));
    expect(passed(policyOf(EVERYTHING))).toEqual([]);
    const named = passed(policyOf(EVERYTHING, { addOnRoles: ['ebs', 'arn:aws:iam::123456789012:role/team/efs'], nodeRoles: ['nodes'] }));
    expect(named.map(({ Resource, Condition }) => [Resource, Condition])).toEqual([
      [
        ['arn:aws:iam::123456789012:role/ebs', 'arn:aws:iam::123456789012:role/team/efs'],
        { StringEquals: { 'iam:PassedToService': 'eks.amazonaws.com' } },
      ],
      [['arn:aws:iam::123456789012:role/nodes'], { StringEquals: { 'iam:PassedToService': 'ec2.amazonaws.com' } }],
    ]);
  });

  test('RS7: launch templates that are named need no tag', () => {
    const { Statement } = policyOf(EVERYTHING, { launchTemplates: ['lt-0abc'] });
    const adding = Statement.find(({ Action }) => Action.includes('ec2:CreateLaunchTemplateVersion'));
    expect(adding?.Resource).toEqual(['arn:aws:ec2:eu-west-1:123456789012:launch-template/lt-0abc']);
    expect(adding?.Condition).toBeUndefined();
  });

  test.each([
    ['eu-west-1', 'aws'],
    ['cn-north-1', 'aws-cn'],
    ['us-gov-west-1', 'aws-us-gov'],
    ['eusc-de-east-1', 'aws-eusc'],
    ['us-iso-east-1', 'aws-iso'],
    ['us-isob-east-1', 'aws-iso-b'],
  ] as const)('RS7 RA15: every ARN of %s is of partition %s', (region, partition) => {
    expect(partitionOf(region)).toBe(partition);
    const text = JSON.stringify(policyOf(EVERYTHING, { addOnRoles: ['ebs'], nodeRoles: ['nodes'] }, region));
    expect([...new Set(text.match(/arn:[a-z-]+:/g))]).toEqual([`arn:${partition}:`]);
  });

  test('RS7: two clusters share what is granted alike, and no name is used twice', () => {
    const [one, other] = ['one', 'two'].map((name) =>
      iamStatements('iam-policy', { name, region: 'eu-west-1', account: '123456789012' }, awsUseOf(configOf({}), 'prod', NOTHING_NAMED)),
    );
    const { Statement } = policyDocument([...(one ?? []), ...(other ?? [])]);
    expect(Statement).toHaveLength(one?.length ?? 0);
    expect(new Set(Statement.map(({ Sid }) => Sid)).size).toBe(Statement.length);
    const upgrades = Statement.find(({ Sid }) => Sid === 'BelayUpgradesClusters');
    expect(upgrades?.Resource).toEqual(
      expect.arrayContaining([expect.stringMatching(/cluster\/one$/), expect.stringMatching(/cluster\/two$/)]),
    );
  });

  test('RS7: as Terraform the documents stay JSON, and nothing of them is a template', () => {
    const document: PolicyDocument = {
      Version: '2012-10-17',
      Statement: [{ Sid: 'A', Effect: 'Allow', Action: ['eks:X'], Resource: ['${aws:x}'] }],
    };
    const text = asTerraform([{ name: 'belay-read', document }]);
    expect(text).toMatch(/^resource "aws_iam_policy" "belay_read" \{\n {2}name = "belay-read"\n\n {2}policy = <<JSON\n/);
    expect(text).toContain('$${aws:x}');
    const json = text.slice(text.indexOf('<<JSON\n') + 7, text.lastIndexOf('JSON\n'));
    expect(JSON.parse(json.replaceAll('$${', '${'))).toEqual(document);
  });
});

describe('belay permissions, of Kubernetes', () => {
  test('RS7: optional roles only where belay.yaml uses them', () => {
    expect(roleOptionsOf(configOf({ health: BY_OTHERS.health }), 'prod', [])).toEqual([]);
    // Whoever keeps the charts in Git applies none of gitops; belay.yaml does not say where they are kept.
    expect(roleOptionsOf(configOf(BY_OTHERS), 'prod', [])).toEqual(['gitops', 'istio']);
    expect(roleOptionsOf(configOf({ managedBy: { karpenter: 'flux' }, health: BY_OTHERS.health }), 'prod', [])).toEqual(['gitops']);
    expect(roleOptionsOf(configOf(EVERYTHING), 'prod', ['mesh-debug'])).toEqual([
      'canary-node',
      'helm-releases',
      'mesh-debug',
      'self-managed',
    ]);
    expect(roleOptionsOf(configOf({ managedBy: { istio: 'helm' } }), 'prod', [])).toEqual(expect.arrayContaining(['istio', 'istio-helm']));
  });

  test.each([{ holdAmis: true }, { amis: { default: 'al2023@v20251016' } }, { promoteFrom: { environment: 'staging', bakedDays: 2 } }])(
    'RS6: node classes are changed where belay.yaml chooses AMIs: %j',
    (karpenter) => {
      const config = validateConfig(
        {
          clusters: {
            prod: { region: 'eu-west-1', account: '123456789012', environment: 'prod', karpenter },
            other: { region: 'eu-west-1', account: '123456789012', environment: 'staging' },
          },
          approvals: { users: ['U012AB3CD'] },
          slack: { channel: 'C012AB3CD' },
        },
        { fileName: 'belay.yaml' },
      );
      expect(roleOptionsOf(config, 'prod', [])).toContain('node-classes');
      expect(roleOptionsOf(config, 'other', [])).not.toContain('node-classes');
    },
  );

  test('RS6: without options nothing of a mesh, of charts, node classes or pods may be changed, by role or policy', () => {
    const base = kubernetesManifest([], false);
    expect(base).not.toMatch(/verbs: \[.*(delete|create)/);
    const asked = /variables\.asked in \[([^\]]*)\]/.exec(base)?.[1] ?? '';
    expect([...asked.matchAll(/'([^']+)'/g)].map(([, each]) => each)).toEqual([
      'UPDATE /nodes',
      'UPDATE apps/deployments',
      'UPDATE apps/statefulsets',
      'UPDATE karpenter.sh/nodepools',
    ]);
    expect(kubernetesManifest(['delete-pods'], false)).toContain("'DELETE /pods'");
  });

  test('RS6 RS7: policies allow the options that are used, and none is left where Helm runs', () => {
    expect(kubernetesManifest([], false)).not.toContain('unschedulable');
    expect(kubernetesManifest(['delete-pods'], true)).toContain('unschedulable');
    expect(kubernetesManifest(['self-managed'], true)).toMatch(/belay-self-managed-write[\s\S]*unschedulable/);
    const helm = kubernetesManifest(['karpenter-helm'], false);
    expect(helm).not.toContain('ValidatingAdmissionPolicy');
    expect(helm).toContain('# No admission policies: with karpenter-helm, Belay is an administrator of the cluster.');
  });
});

describe('deploy/kubernetes-admission.yaml', () => {
  const documents = yamlOf('deploy/kubernetes-admission.yaml').map((document) => Object(document));
  const policies = documents.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');

  test('RS6: every policy refuses where it cannot be judged, is bound, and denies', () => {
    expect(policies.length).toBeGreaterThan(15);
    const bindings = documents.filter(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding');
    expect(bindings.map(({ spec }) => spec)).toEqual(
      policies.map(({ metadata }) => ({ policyName: metadata.name, validationActions: ['Deny'] })),
    );
    for (const { spec } of policies) {
      expect(spec.failurePolicy).toBe('Fail');
      for (const group of BELAY_GROUPS) expect(spec.matchConditions[0].expression).toContain(`'${group}'`);
    }
  });

  test('RS6: what no policy compares is refused', () => {
    const [first] = policies;
    expect(first?.spec.matchConstraints.resourceRules).toEqual([
      { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] },
    ]);
    expect(first?.spec.validations[0].expression).not.toMatch(/'CREATE \/pods'|secrets|\/scale|\/exec|ephemeral|roles|validatingadmission/);
  });

  test('RS6: what the roles let Belay write, and what it changes, are the same', () => {
    const files = ['', ...ADMISSION_OPTIONS.map((option) => `-${option}`)];
    const verbs: Record<string, string> = { patch: 'UPDATE', delete: 'DELETE', create: 'CREATE' };
    const granted = files.flatMap((suffix) =>
      yamlOf(`deploy/kubernetes-rbac${suffix}.yaml`).flatMap((document) =>
        Array.from<{ apiGroups?: string[]; resources?: string[]; verbs: string[] }>(Object(document).rules ?? []).flatMap(
          ({ apiGroups = [], resources = [], verbs: allowed }) =>
            resources.flatMap((resource) => {
              const connects = ['pods/proxy', 'pods/portforward'].includes(resource);
              const operations = connects ? ['CONNECT'] : allowed.flatMap((verb) => verbs[verb] ?? []);
              return operations.map((operation) => `${operation} ${apiGroups[0] ?? ''}/${resource}`);
            }),
        ),
      ),
    );
    expect([...new Set(granted)].sort()).toEqual([...new Set(CHANGES.map(({ operation, resource }) => `${operation} ${resource}`))].sort());
  });
});
