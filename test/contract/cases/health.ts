/** Version, health, metrics, discovery. */
import type { Area } from '../suite.ts';

const TYPES: Record<string, string[]> = {
  '/api/v1': [
    'namespaces',
    'nodes',
    'pods',
    'services',
    'endpoints',
    'configmaps',
    'secrets',
    'events',
    'serviceaccounts',
    'persistentvolumes',
    'persistentvolumeclaims',
    'replicationcontrollers',
    'resourcequotas',
    'limitranges',
  ],
  '/apis/apps/v1': ['deployments', 'replicasets', 'statefulsets', 'daemonsets', 'controllerrevisions'],
  '/apis/batch/v1': ['jobs', 'cronjobs'],
  '/apis/policy/v1': ['poddisruptionbudgets'],
  '/apis/autoscaling/v2': ['horizontalpodautoscalers'],
  '/apis/admissionregistration.k8s.io/v1': ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
  '/apis/apiextensions.k8s.io/v1': ['customresourcedefinitions'],
  '/apis/coordination.k8s.io/v1': ['leases'],
  '/apis/networking.k8s.io/v1': ['ingresses', 'networkpolicies'],
  '/apis/rbac.authorization.k8s.io/v1': ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'],
  '/apis/scheduling.k8s.io/v1': ['priorityclasses'],
  '/apis/storage.k8s.io/v1': ['storageclasses', 'volumeattachments', 'csinodes'],
  '/apis/discovery.k8s.io/v1': ['endpointslices'],
  '/apis/flowcontrol.apiserver.k8s.io/v1': ['flowschemas', 'prioritylevelconfigurations'],
  '/apis/authorization.k8s.io/v1': ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
  '/apis/authentication.k8s.io/v1': ['selfsubjectreviews'],
};

/** Subresources that the stand-in serves; the others are a difference on purpose. */
const SUBRESOURCES = ['status', 'scale', 'eviction'];

export const health: Area = {
  name: 'health',
  cases: {
    version: async (talk) => {
      await talk.get('/version', {
        pick: (body) =>
          Object.fromEntries(
            Object.keys(body).map((key) => [key, /^(major|minor|emulation|minCompat)/.test(key) ? body[key] : typeof body[key]]),
          ),
      });
    },
    'health checks': async (talk) => {
      for (const path of [
        '/readyz',
        '/livez',
        '/healthz',
        '/readyz/ping',
        '/readyz/etcd',
        '/livez/ping',
        '/readyz/nothing',
        '/readyz?exclude=etcd',
      ])
        await talk.get(path);
      for (const path of ['/readyz?verbose', '/livez?verbose']) {
        const { text } = await talk.get(path, { quiet: true });
        const lines = text.split('\n');
        talk.note(path, {
          wellFormed: lines.slice(0, -2).every((line) => /^\[\+\][\w/.-]+ ok$/.test(line)),
          first: lines[0],
          etcd: lines.includes('[+]etcd ok'),
          last: lines.slice(-2),
        });
      }
    },
    discovery: async (talk) => {
      await talk.get('/api', { pick: ({ serverAddressByClientCIDRs: _addresses, ...body }) => body });
      await talk.get('/apis', {
        pick: (body) => ({
          ...body,
          groups: body.groups
            .filter((group: { name: string }) => Object.keys(TYPES).some((path) => path.startsWith(`/apis/${group.name}/`)))
            .map((group: { name: string }) => group.name)
            .toSorted(),
        }),
      });
      await talk.get('/apis/apps');
      for (const [path, plurals] of Object.entries(TYPES)) {
        const wanted = plurals.flatMap((plural) => [plural, ...SUBRESOURCES.map((part) => `${plural}/${part}`)]);
        await talk.get(path, {
          pick: (body) => ({
            ...body,
            resources: body.resources
              .filter((resource: { name: string }) => wanted.includes(resource.name))
              .map(({ storageVersionHash: _hash, ...resource }: Record<string, unknown>) => resource)
              .toSorted((left: { name: string }, right: { name: string }) => (left.name < right.name ? -1 : 1)),
          }),
        });
      }
    },
    'APIs that are on their way out': async (talk) => {
      await talk.get('/api/v1/namespaces/default/endpoints/none', { headers: ['warning'] });
      await talk.get('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/none', { headers: ['warning'] });
      await talk.get('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/none', { headers: ['warning'] });
      await talk.get('/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas/none', { headers: ['warning'] });
      const { text } = await talk.get('/metrics', { quiet: true });
      talk.note(
        'metrics',
        text
          .split('\n')
          .filter((line) => /^(# TYPE )?apiserver_requested_deprecated_apis/.test(line) && !line.includes('contract.belay.dev'))
          .toSorted(),
      );
    },
  },
};
