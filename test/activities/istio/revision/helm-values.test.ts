/** Values that a chart reads elsewhere than the chart of the old revision did. */
import { describe, expect, test } from 'vitest';
import { lastingHub, movedValues, whyNotCopied } from '../../../../activities/istio/revision/helm-values.ts';
import { copyOfApplication, copyOfRelease } from '../../../../activities/istio/revision/revision-copy.ts';

const OPTIONS = { from: '1-23', to: '1-25', version: '1.25.5' };
const ENABLED = { path: ['pilot', 'cni', 'enabled'], value: true };

test.each([
  ['switched on', { istio_cni: { enabled: true } }, [ENABLED]],
  [
    'with a provider',
    { istio_cni: { enabled: true, provider: 'multus' } },
    [ENABLED, { path: ['pilot', 'cni', 'provider'], value: 'multus' }],
  ],
  ['as a text', { istio_cni: { enabled: 'true' } }, [ENABLED]],
  ['switched off', { istio_cni: { enabled: false } }, []],
  ['said in the new place already', { istio_cni: { enabled: true }, pilot: { cni: { enabled: false } } }, []],
  ['not there', { pilot: { env: {} } }, []],
])('istio_cni %s', (_what, values, edits) => {
  expect(movedValues(values)).toEqual(edits);
});

test.each([
  ['1.30.4', {}, [{ path: ['global', 'hub'], value: 'docker.io/istio' }]],
  ['1.30', { hub: 'mirror.example.org/istio' }, [{ path: ['global', 'hub'], value: 'docker.io/istio' }]],
  ['1.30', { global: { hub: 'mirror.example.org/istio' } }, []],
  ['1.29.6', {}, []],
  ['1.31.1', {}, []],
])('the registry of charts %s with values %j, since that of 1.30 alone ends', (version, values, edits) => {
  expect(lastingHub(values, version)).toEqual(edits);
});

describe('a copy of what delivers the old revision', () => {
  test('HelmRelease, to 1.30: from a registry that stays', () => {
    const release = {
      metadata: { name: 'istiod-1-29', namespace: 'flux-system', uid: '1', resourceVersion: '1' },
      spec: { chart: { spec: { chart: 'istiod', version: '1.29.6' } }, values: { revision: '1-29' } },
    };
    const { bodies, changes } = copyOfRelease(release, undefined, { from: '1-29', to: '1-30', version: '1.30.4' });
    expect(bodies.at(-1)?.body.spec).toMatchObject({ values: { revision: '1-30', global: { hub: 'docker.io/istio' } } });
    expect(changes).toEqual(['revision: 1-29 → 1-30', 'global.hub: not set → docker.io/istio']);
  });

  test.each([
    ['valuesFrom', { valuesFrom: [{ kind: 'Secret', name: 'mirror' }] }],
    ['files of the chart', { chart: { spec: { chart: 'istiod', version: '1.29.6', valuesFiles: ['values.yaml', 'mirror.yaml'] } } }],
  ])('HelmRelease with %s, to 1.30: the registry may be named there, and stays as it is', (_what, spec) => {
    const release = {
      metadata: { name: 'istiod-1-29', namespace: 'flux-system', uid: '1', resourceVersion: '1' },
      spec: { chart: { spec: { chart: 'istiod', version: '1.29.6' } }, values: { revision: '1-29' }, ...spec },
    };
    const { changes } = copyOfRelease(release, undefined, { from: '1-29', to: '1-30', version: '1.30.4' });
    expect(changes).toEqual(['revision: 1-29 → 1-30']);
  });

  test.each([
    ['value files', { valueFiles: ['$values/mirror.yaml'] }],
    ['file parameters', { fileParameters: [{ name: 'global.hub', path: 'hub.txt' }] }],
  ])('Application with %s, to 1.30: the registry may be named there, and stays as it is', (_what, files) => {
    const application = {
      metadata: { name: 'istiod-1-29', namespace: 'argocd', uid: '1', resourceVersion: '1' },
      spec: { source: { chart: 'istiod', targetRevision: '1.29.6', helm: { valuesObject: { revision: '1-29' }, ...files } } },
    };
    const { changes } = copyOfApplication(application, { from: '1-29', to: '1-30', version: '1.30.4' });
    expect(changes).toEqual(['revision: 1-29 → 1-30']);
  });

  test('HelmRelease', () => {
    const release = {
      metadata: { name: 'istiod-1-23', namespace: 'flux-system', uid: '1', resourceVersion: '1' },
      spec: { chart: { spec: { chart: 'istiod', version: '1.23.2' } }, values: { revision: '1-23', istio_cni: { enabled: true } } },
    };
    const { bodies, changes } = copyOfRelease(release, undefined, OPTIONS);
    expect(bodies.at(-1)?.body.spec).toMatchObject({ values: { revision: '1-25', pilot: { cni: { enabled: true } } } });
    expect(changes).toEqual(['revision: 1-23 → 1-25', 'pilot.cni.enabled: not set → true']);
  });

  test('Application, by its parameters', () => {
    const application = {
      metadata: { name: 'istiod-1-23', namespace: 'argocd', uid: '1', resourceVersion: '1' },
      spec: {
        source: {
          repoURL: 'https://charts.example.org',
          chart: 'istiod',
          targetRevision: '1.23.2',
          helm: { parameters: [{ name: 'istio_cni.enabled', value: 'true' }], valuesObject: { revision: '1-23' } },
        },
      },
    };
    const { bodies } = copyOfApplication(application, OPTIONS);
    expect(bodies[0]?.body.spec).toMatchObject({
      source: { helm: { valuesObject: { revision: '1-25', pilot: { cni: { enabled: true } } } } },
    });
  });
});

describe('an address of the old istiod', () => {
  const at = (discoveryAddress: string) => ({ meshConfig: { defaultConfig: { discoveryAddress } } });

  test.each([
    ['1-26', at('istiod-1-26.istio-system.svc:15012')],
    ['1-26', at('istiod-1-26.istio-system:15012')],
    ['default', at('istiod.istio-system.svc.cluster.local:15012')],
  ])('of revision %s is named with its place: %o', (revision, values) => {
    expect(whyNotCopied('release istio-system/istiod', revision, values)).toMatch(
      /^release istio-system\/istiod names istiod(?:-1-26)? at meshConfig\.defaultConfig\.discoveryAddress, /,
    );
  });

  test.each([
    ['another revision', '1-26', at('istiod-1-27.istio-system.svc:15012')],
    ['one whose name begins alike', '1-2', at('istiod-1-26.istio-system.svc:15012')],
    ['another host', 'default', at('cert-manager-istio-csr.cert-manager.svc:443')],
    ['an istiod outside of the cluster', 'default', at('istiod.example.com:15012')],
    ['an image', 'default', { image: 'registry.example.com/istiod:1.26.2' }],
    ['a name for the certificate', 'default', { pilot: { env: { ISTIOD_CUSTOM_HOST: 'istiod.istio-system.svc' } } }],
  ])('%s is none', (_what, revision, values) => {
    expect(whyNotCopied('release istio-system/istiod', revision, values)).toBeUndefined();
  });
});
