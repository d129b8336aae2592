/** What Helm releases would write again, out of their Secrets. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { KubeObject, ListQuery } from '../../../../../activities/contract/ports.ts';
import { readHelmReleases } from '../../../../../activities/observe/readiness/kubernetes/helm.ts';
import { FakeKubernetes, type Seed } from '../../../../support/fake-kubernetes.ts';

const MANIFEST =
  '---\n# Source: cart/pdb.yaml\napiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata:\n  name: cart\n---\napiVersion: v1\nkind: Service\nmetadata: { name: cart }\n---\napiVersion: cert-manager.io/v1alpha2\nkind: Certificate\nmetadata: { name: tls }\n';

const release = (name: string, payload: Buffer | string = gzipSync(JSON.stringify({ manifest: MANIFEST }))): Seed => ({
  metadata: { name: `sh.helm.release.v1.${name}.v3`, namespace: 'shop', labels: { owner: 'helm', status: 'deployed', name } },
  data: { release: Buffer.from(typeof payload === 'string' ? payload : payload.toString('base64')).toString('base64') },
});
const USES = [
  { group: 'policy', version: 'v1beta1', kind: 'PodDisruptionBudget', from: 'helm', writer: 'shop/cart', object: { name: 'cart' } },
  { group: 'cert-manager.io', version: 'v1alpha2', kind: 'Certificate', from: 'helm', writer: 'shop/cart', object: { name: 'tls' } },
];

test('a Helm release would write again what its manifest says', async () => {
  expect(await readHelmReleases(new FakeKubernetes().put('v1', 'secrets', release('cart')))).toEqual(USES);
});

test('one that is uninstalled between list and look would write nothing; the others are read all the same', async () => {
  class Meanwhile extends FakeKubernetes {
    override async list<T extends KubeObject>(query: ListQuery): Promise<T[] | undefined> {
      const found = await super.list<T>(query);
      if (query.metadataOnly === true)
        this.remove({ apiVersion: 'v1', plural: 'secrets', namespace: 'shop', name: 'sh.helm.release.v1.mail.v3' });
      return found;
    }
  }
  const port = new Meanwhile().put('v1', 'secrets', release('mail')).put('v1', 'secrets', release('cart'));
  expect(await readHelmReleases(port)).toEqual(USES);
});

test('a Secret that holds no release is no release without a manifest', async () => {
  const port = new FakeKubernetes().put('v1', 'secrets', release('cart', 'bm90aGluZw=='));
  await expect(readHelmReleases(port)).rejects.toThrow('reading Helm release sh.helm.release.v1.cart.v3: its payload cannot be read');
});

test.each([
  {
    what: 'a megabyte that unpacks to many',
    manifest: ' '.repeat(20 * 1024 * 1024),
    why: 'it unpacks to more than 16 MiB, as no release does',
  },
  { what: 'a document for each line', manifest: '---\na\n'.repeat(30_000), why: 'its manifest is larger than any that Kubernetes takes' },
])(
  '$what is refused before it fills the memory, or the time, of everybody: whoever may write a Secret makes one',
  async ({ manifest, why }) => {
    const port = new FakeKubernetes().put('v1', 'secrets', release('cart', gzipSync(JSON.stringify({ manifest }))));
    await expect(readHelmReleases(port)).rejects.toThrow(`reading Helm release sh.helm.release.v1.cart.v3: ${why}`);
  },
);

test('of an object nothing is parsed but what it is, in YAML or JSON, whatever the rest', async () => {
  const manifest = [
    'apiVersion: policy/v1beta1\ndata:\n  x: *nobody\nmetadata:\n  labels:\n    app: cart\n# of the chart\n  name: cart\n  annotations: {}\nkind: PodDisruptionBudget\n',
    '{"apiVersion": "cert-manager.io/v1alpha2", "kind": "Certificate", "metadata": {"name": "tls"}}',
  ].join('--- # next\n');
  const odd = release('cart', gzipSync(JSON.stringify({ manifest })));
  expect(await readHelmReleases(new FakeKubernetes().put('v1', 'secrets', odd))).toEqual(USES);
});
