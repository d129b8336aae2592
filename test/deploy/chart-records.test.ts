/** Where the chart's pods find the records: on a volume, which the doctor of `helm test` tries too, or in a bucket, which the Slack process has to reach. */
import { describe, expect, test } from 'vitest';
import { describeWithHelm } from '../support/tools.ts';
import { helmTemplate, IN_BUCKET, podsOf, type Rendered, rendered } from './helm.ts';

const named = (objects: readonly Rendered[], kind: string, name: string): Rendered | undefined =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);

/** What hands out credentials, in a NetworkPolicy. */
const POD_IDENTITY = {
  to: [{ ipBlock: { cidr: '169.254.170.23/32' } }, { ipBlock: { cidr: 'fd00:ec2::23/128' } }],
  ports: [{ port: 80, protocol: 'TCP' }],
};

describeWithHelm('records on a volume', () => {
  test.each([
    ['worker', 'mounted by one node', []],
    ['doctor', 'mounted by one node', []],
    ['doctor', 'mounted by many', ['--set', 'records.accessModes[0]=ReadWriteMany']],
  ])('the %s may write the volume that is %s: belay doctor fails where it cannot', (component, _, args: readonly string[]) => {
    const { volumes = [], containers: [container] = [] } = podsOf(rendered(...args))[component] ?? {};
    expect(volumes).toContainEqual({ name: 'records', persistentVolumeClaim: { claimName: 'ours-records' } });
    expect(container?.volumeMounts).toContainEqual({ name: 'records', mountPath: '/belay/records' });
  });

  test('the Slack process only reads the volume: whoever takes it over cannot rewrite what was recorded', () => {
    const { volumes = [], containers: [container] = [] } = podsOf(rendered())['slack'] ?? {};
    expect(volumes).toContainEqual({ name: 'records', persistentVolumeClaim: { claimName: 'ours-records' } });
    expect(container?.volumeMounts).toContainEqual({ name: 'records', mountPath: '/belay/records', readOnly: true });
  });

  test('the doctor is placed on the volume’s node also where nothing else runs', () => {
    const objects = rendered('--set', 'worker.replicas=0,slack.enabled=false');
    const doctor = named(objects, 'Pod', 'ours-doctor');
    // A pod that matches its own affinity is placed although no other one does:
    // https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity
    expect(doctor?.metadata.labels).toMatchObject({ 'belay.dev/records': 'ours' });
  });

  test('the Slack process has no rights in AWS, nor a way to any', () => {
    const objects = rendered();
    expect(named(objects, 'ServiceAccount', 'ours-slack')?.metadata.annotations).toBeUndefined();
    expect(JSON.stringify(named(objects, 'NetworkPolicy', 'ours-slack'))).not.toContain('169.254');
  });
});

describeWithHelm('records in a bucket', () => {
  test('O32: need no volume, and none is claimed', () => {
    const objects = rendered(...IN_BUCKET);
    expect(objects.map(({ kind }) => kind)).not.toContain('PersistentVolumeClaim');
    for (const component of ['worker', 'slack'])
      expect(podsOf(objects)[component]?.volumes).toContainEqual({ name: 'records', emptyDir: {} });
  });

  test('the Slack process may have a role of its own, by IRSA or Pod Identity, and not the node’s', () => {
    const role = 'slack.serviceAccount.annotations.eks\\.amazonaws\\.com/role-arn=arn:aws:iam::210987654321:role/belay-records-reader';
    const objects = rendered(...IN_BUCKET, '--set', role);
    const account = named(objects, 'ServiceAccount', 'ours-slack');
    expect(account?.metadata.annotations).toEqual({ 'eks.amazonaws.com/role-arn': 'arn:aws:iam::210987654321:role/belay-records-reader' });
    expect(podsOf(objects)['slack']?.serviceAccountName).toBe('ours-slack');
    const policy = named(objects, 'NetworkPolicy', 'ours-slack');
    expect(policy?.spec['egress']).toContainEqual(POD_IDENTITY);
    expect(JSON.stringify(policy)).not.toContain('169.254.169.254');
  });

  describe('without a volume', () => {
    test.each([
      ['a directory', 'records: { directory: elsewhere }'],
      ['nothing', 'clusters: {}'],
      ['records without a value', 'records:'],
    ])('%s in belay.yaml is refused: each pod would lose its records', (_, config) => {
      const { status, stderr } = helmTemplate('--set-string', `config=${config}`, '--set', 'records.shared=true,records.volume=false');
      expect(status).toBe(1);
      expect(stderr).toContain(
        'records.volume is false, but belay.yaml has no records.s3: each pod would keep records of its own and lose them at its end. Name a bucket under records.s3 in belay.yaml, or set records.volume to true',
      );
    });
  });
});
