/** Objects with every field in which somebody may have put a secret, beside those that the twin has. */

const CONTAINER = {
  name: 'app',
  image: 'registry.example.com/shop/app:1.2.3',
  command: ['/bin/app', '--password=hunter2'],
  args: ['--token', 'hunter2'],
  workingDir: '/srv',
  env: [
    {
      name: 'TOKEN',
      value: 'hunter2',
      valueFrom: { secretKeyRef: { name: 'token', key: 'value' }, configMapKeyRef: { name: 'c', key: 'k' } },
    },
  ],
  envFrom: [{ prefix: 'P_', secretRef: { name: 'env' }, configMapRef: { name: 'env' } }],
  ports: [{ name: 'http', protocol: 'TCP', hostIP: '10.0.0.1' }],
  resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '2Gi' }, claims: [{ name: 'gpu' }] },
  readinessProbe: {
    httpGet: { path: '/secret', host: 'h', scheme: 'HTTP', port: 'http', httpHeaders: [{ name: 'Authorization', value: 'Bearer x' }] },
  },
  livenessProbe: { exec: { command: ['curl', '-H', 'token: x'] } },
  startupProbe: { grpc: { service: 'secret' }, tcpSocket: { host: 'h', port: 'http' } },
  lifecycle: { preStop: { exec: { command: ['sh', '-c', 'secret'] }, httpGet: { path: '/x' } }, postStart: { exec: { command: ['x'] } } },
  volumeMounts: [{ name: 'data', mountPath: '/secret', subPath: 's', subPathExpr: 'e' }],
  securityContext: { seLinuxOptions: { user: 'u' }, seccompProfile: { localhostProfile: 'p', type: 'Localhost' } },
  terminationMessagePath: '/dev/log',
};

const SPEC = {
  nodeName: 'node-1',
  nodeSelector: { pool: 'general' },
  containers: [CONTAINER],
  initContainers: [CONTAINER],
  ephemeralContainers: [CONTAINER],
  serviceAccountName: 'app',
  serviceAccount: 'app',
  imagePullSecrets: [{ name: 'pull' }],
  hostname: 'host',
  subdomain: 'sub',
  hostAliases: [{ ip: '10.0.0.2', hostnames: ['internal.example.com'] }],
  dnsConfig: { nameservers: ['10.0.0.3'], searches: ['example.com'], options: [{ name: 'ndots', value: '2' }] },
  securityContext: { sysctls: [{ name: 's', value: 'v' }] },
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }],
      },
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 't', namespaces: ['n'], labelSelector: { matchLabels: { app: 'x' } } },
      ],
    },
  },
  tolerations: [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' }],
  topologySpreadConstraints: [{ topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'x' } } }],
  volumes: [
    { name: 'a', secret: { secretName: 's', items: [{ key: 'k', path: 'p' }] } },
    { name: 'b', configMap: { name: 'c' }, hostPath: { path: '/etc/secret', type: 'File' } },
    {
      name: 'c',
      csi: { driver: 'secrets-store.csi.k8s.io', volumeAttributes: { secretProviderClass: 'x' }, nodePublishSecretRef: { name: 'n' } },
    },
    { name: 'd', projected: { sources: [{ serviceAccountToken: { audience: 'aud', path: 'p' } }] }, nfs: { server: 's', path: '/p' } },
    { name: 'e', persistentVolumeClaim: { claimName: 'claim' }, emptyDir: { medium: 'Memory' } },
  ],
};

const METADATA = {
  name: 'rich',
  namespace: 'shop',
  uid: '00000000-0000-4000-8000-00000000000a',
  selfLink: '/x',
  resourceVersion: '7',
  generateName: 'rich-',
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: { app: 'rich', secret: 'hunter2', 'example.com/token': 'hunter2' },
  annotations: {
    'example.com/token': 'hunter2',
    'kubectl.kubernetes.io/last-applied-configuration': '{"apiVersion":"v1","kind":"Secret","data":{"password":"aHVudGVyMg=="}}',
  },
  finalizers: ['example.com/keep'],
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rich', uid: 'u', controller: true }],
  managedFields: [
    { manager: 'kubectl', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:secret': {} } } },
  ],
};

const TEMPLATE = { metadata: METADATA, spec: SPEC };

/** By type. */
export const RICH: Readonly<Record<string, object>> = {
  pods: {
    metadata: METADATA,
    spec: SPEC,
    status: {
      phase: 'Running',
      message: 'secret',
      reason: 'r',
      podIP: '10.1.2.3',
      hostIP: '10.1.2.4',
      podIPs: [{ ip: '10.1.2.3' }],
      conditions: [{ type: 'Ready', status: 'True', message: 'secret', reason: 'r' }],
      containerStatuses: [
        {
          name: 'app',
          image: 'i',
          imageID: 'id',
          containerID: 'c',
          state: { terminated: { message: 'secret', reason: 'Error', containerID: 'c' }, waiting: { message: 'secret', reason: 'r' } },
          lastState: { terminated: { message: 'secret' } },
        },
      ],
    },
  },
  deployments: { metadata: METADATA, spec: { selector: { matchLabels: { app: 'rich' } }, template: TEMPLATE } },
  cronjobs: { metadata: METADATA, spec: { schedule: '* * * * *', jobTemplate: { metadata: METADATA, spec: { template: TEMPLATE } } } },
  statefulsets: {
    metadata: METADATA,
    spec: {
      serviceName: 's',
      template: TEMPLATE,
      volumeClaimTemplates: [{ metadata: METADATA, spec: { storageClassName: 'gp3', dataSource: { name: 'x' } } }],
    },
  },
  services: {
    metadata: METADATA,
    spec: {
      type: 'ExternalName',
      externalName: 'db.internal.example.com',
      clusterIP: '10.2.0.1',
      loadBalancerIP: '192.0.2.9',
      externalIPs: ['192.0.2.8'],
      loadBalancerSourceRanges: ['192.0.2.0/24'],
    },
    status: { loadBalancer: { ingress: [{ hostname: 'lb.example.com', ip: '192.0.2.7' }] } },
  },
  endpointslices: {
    metadata: METADATA,
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.2.3'], hostname: 'h', targetRef: { kind: 'Pod', name: 'p' } }],
  },
  validatingwebhookconfigurations: {
    metadata: METADATA,
    webhooks: [
      {
        name: 'w.example.com',
        failurePolicy: 'Fail',
        clientConfig: {
          url: 'https://user:pw@outside.example.com/hook?token=hunter2',
          caBundle: 'LS0t',
          service: { name: 's', namespace: 'n', path: '/secret' },
        },
        matchConditions: [{ name: 'm', expression: 'secret' }],
      },
    ],
  },
  customresourcedefinitions: {
    metadata: METADATA,
    spec: {
      group: 'example.com',
      names: { kind: 'Rich', plural: 'riches', shortNames: ['r'], categories: ['all'] },
      conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://x.example.com', caBundle: 'LS0t' } } },
      versions: [{ name: 'v1', schema: { openAPIV3Schema: { description: 'secret', default: 'hunter2' } }, deprecationWarning: 'secret' }],
    },
  },
  ec2nodeclasses: {
    metadata: METADATA,
    spec: {
      amiFamily: 'AL2023',
      userData: '#!/bin/bash\nexport TOKEN=hunter2',
      context: 'secret',
      tags: { token: 'hunter2' },
      role: 'r',
      blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { kmsKeyID: 'k', snapshotID: 's', volumeType: 'gp3' } }],
    },
  },
  nodes: {
    metadata: METADATA,
    spec: { podCIDR: '10.3.0.0/24', providerID: 'aws:///eu-west-1a/i-1', taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] },
    status: {
      addresses: [{ type: 'InternalIP', address: '10.0.0.9' }],
      nodeInfo: { machineID: 'm', systemUUID: 'u', bootID: 'b', kubeletVersion: 'v1.33.1' },
      config: { assigned: { configMap: { name: 'c' } } },
      images: [{ names: ['registry.example.com/shop/app:1.2.3'] }],
      volumesAttached: [{ name: 'v', devicePath: '/dev/x' }],
      conditions: [{ type: 'Ready', status: 'True', message: 'secret' }],
    },
  },
  persistentvolumes: {
    metadata: METADATA,
    spec: {
      csi: { driver: 'd', volumeHandle: 'vol-1', volumeAttributes: { secret: 'x' }, nodeStageSecretRef: { name: 's' } },
      nfs: { server: 's' },
    },
  },
  storageclasses: {
    metadata: METADATA,
    provisioner: 'p',
    parameters: { type: 'gp3', kmsKeyId: 'k', secret: 'x' },
    mountOptions: ['password=x'],
  },
  helmreleases: {
    metadata: METADATA,
    spec: {
      values: { password: 'hunter2' },
      valuesFrom: [{ kind: 'Secret', name: 's' }],
      chart: { spec: { chart: 'karpenter', version: '1.0.0' } },
    },
    status: { lastAttemptedValuesChecksum: 'c', conditions: [{ type: 'Ready', message: 'secret' }] },
  },
  applications: {
    metadata: METADATA,
    spec: {
      source: {
        repoURL: 'https://token@git.example.com/x',
        chart: 'karpenter',
        helm: { values: 'password: x', parameters: [{ name: 'p', value: 'v' }] },
      },
    },
    operation: { info: [{ name: 'n', value: 'v' }] },
  },
  clusterrolebindings: {
    metadata: METADATA,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ana@example.com', namespace: 'shop' }],
  },
  clusterroles: {
    metadata: METADATA,
    rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['token'], verbs: ['get'], nonResourceURLs: ['/x'] }],
  },
  networkpolicies: {
    metadata: METADATA,
    spec: {
      ingress: [
        {
          ports: [{ protocol: 'TCP' }],
          from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] }, podSelector: { matchLabels: {} } }],
        },
      ],
    },
  },
  leases: { metadata: METADATA, spec: { holderIdentity: 'rich_1', strategy: 'x' } },
};
