/** The rights of two roles are those of one, divided: what reads changes nothing, what changes reads nothing, and together they lack nothing. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { root, textOf, yamlOf } from './files.ts';

const policy = z.object({ Statement: z.array(z.object({ Action: z.array(z.string()) })) });
const role = z.object({
  kind: z.enum(['ClusterRole', 'Role']),
  rules: z.array(
    z.object({
      apiGroups: z.array(z.string()).optional(),
      resources: z.array(z.string()).optional(),
      nonResourceURLs: z.array(z.string()).optional(),
      resourceNames: z.array(z.string()).optional(),
      verbs: z.array(z.string()),
    }),
  ),
});

const parts = readdirSync(join(root, 'deploy/two-roles')).sort();
const of = (pattern: RegExp): string[] => parts.filter((name) => pattern.test(name));
const actionsIn = (path: string): string[] => policy.parse(JSON.parse(textOf(path))).Statement.flatMap(({ Action }) => Action);

/** "patch karpenter.sh/nodepools", each with the names that it is narrowed to. */
function verbsIn(path: string): string[] {
  const roles = yamlOf(path).flatMap((document) => role.safeParse(document).data ?? []);
  return roles
    .flatMap(({ rules }) => rules)
    .flatMap(({ apiGroups = [''], resources = [], nonResourceURLs = [], resourceNames = [], verbs }) => {
      const what = [...nonResourceURLs, ...apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`))];
      return verbs.flatMap((verb) => what.map((each) => [verb, each, ...resourceNames].join(' ')));
    })
    .sort();
}

describe('IAM', () => {
  const readers = of(/^iam-.*-read\.json$/).flatMap((name) => actionsIn(`deploy/two-roles/${name}`));
  const writers = of(/^iam-.*-write\.json$/).flatMap((name) => actionsIn(`deploy/two-roles/${name}`));

  test('the role that reads can only look, and ask EKS to look again', () => {
    expect(readers.filter((action) => !/:(Describe|Get|List|Query|Simulate)/.test(action))).toEqual(['eks:StartInsightsRefresh']);
  });

  test('the role that changes cannot look, but at the public parameters that AWS reads on behalf of whoever uses them in a launch template', () => {
    expect(writers).toEqual(expect.arrayContaining(['eks:UpdateClusterVersion', 'autoscaling:StartInstanceRefresh']));
    expect(writers.filter((action) => /:(Describe|Get|List|Query)/.test(action))).toEqual(['ssm:GetParameters']);
  });

  test('together they are the role of one', () => {
    const one = ['iam-policy', 'iam-policy-optional', 'iam-policy-self-managed'].flatMap((name) => actionsIn(`deploy/${name}.json`));
    expect([...readers, ...writers].sort()).toEqual(one.sort());
  });
});

describe('Kubernetes', () => {
  test('the group that reads can only get and list, and forward a port', () => {
    const verbs = of(/^kubernetes-.*-read\.yaml$/).flatMap((name) => verbsIn(`deploy/two-roles/${name}`));
    expect(verbs.filter((each) => !/^(get|list) /.test(each))).toEqual(['create /pods/portforward']);
  });

  test('the group that changes can neither get nor list', () => {
    const verbs = of(/^kubernetes-.*-write\.yaml$/).flatMap((name) => verbsIn(`deploy/two-roles/${name}`));
    expect(verbs).toContain('patch karpenter.sh/nodepools');
    expect(verbs.filter((each) => /^(get|list) /.test(each))).toEqual([]);
  });

  // Helm's: nothing but a binding to cluster-admin, which goes to the group that changes.
  const whole = readdirSync(join(root, 'deploy')).filter(
    (name) => /^kubernetes-rbac.*\.yaml$/.test(name) && verbsIn(`deploy/${name}`).length > 0,
  );

  test.each(whole)('%s is divided, and nothing of it is lost', (name) => {
    const both = ['read', 'write'].map((access) => name.replace('.yaml', `-${access}.yaml`)).filter((part) => parts.includes(part));
    expect(both.flatMap((part) => verbsIn(`deploy/two-roles/${part}`)).sort()).toEqual(verbsIn(`deploy/${name}`));
  });

  test.each(of(/\.yaml$/))('%s is bound to the group of its part', (name) => {
    const access = name.includes('-read.') ? 'read' : 'write';
    const bound = yamlOf(`deploy/two-roles/${name}`).at(-1);
    expect(bound).toMatchObject({ subjects: [{ kind: 'Group', name: `belay-${access}` }] });
    const [first] = yamlOf(`deploy/two-roles/${name}`);
    if (yamlOf(`deploy/two-roles/${name}`).length === 2)
      expect(bound).toMatchObject({ roleRef: { name: z.object({ metadata: z.object({ name: z.string() }) }).parse(first).metadata.name } });
    else expect(bound).toMatchObject({ roleRef: { name: 'cluster-admin' } });
  });
});
