/** Reading the metrics of pods takes roles of its own, each for one namespace. */
import { expect, test } from 'vitest';
import { yamlOf } from './files.ts';

test.each([
  ['scrapes', 'kube-system'],
  ['mesh-scrapes', 'istio-system'],
])('kubernetes-rbac-%s.yaml lets metrics of pods be read in %s, and nowhere else', (name, namespace) => {
  const [role, bound] = yamlOf(`deploy/kubernetes-rbac-${name}.yaml`);
  expect(role).toMatchObject({
    kind: 'Role',
    metadata: { namespace },
    rules: [{ apiGroups: [''], resources: ['pods/proxy'], verbs: ['get'] }],
  });
  expect(bound).toMatchObject({ kind: 'RoleBinding', metadata: { namespace }, subjects: [{ kind: 'Group', name: 'belay' }] });
});
