/** EC2 over its query protocol: what a check before an upgrade, or a look at nodes, asks for. Shapes as in botocore's data/ec2/2016-11-15. */
import { randomUUID } from 'node:crypto';
import { type Ami, amiById, knownAmis } from './eks/nodes/amis.ts';
import { AwsError } from './eks/errors.ts';
import type { World } from '../world/world.ts';
import { type Answer, lacking, listed } from './ec2-listing.ts';
import { describeAvailabilityZones, describeSecurityGroups, describeSubnets, describeVpcs } from './ec2-network.ts';
import { renderInstance, renderVolume, statusOf, volumesOf } from './ec2-instances.ts';
import { instancesOf } from './instances.ts';
import { createTemplateVersion, renderTemplate, renderTemplateVersion, versionNamed } from './launch-templates.ts';
import { answerOf, type Paging, type Part } from './merged.ts';
import type { LaunchTemplate } from './network.ts';
import { numbered } from './query.ts';
import { xml } from './xml.ts';

const NAMESPACE = 'http://ec2.amazonaws.com/doc/2016-11-15/';

/** Amazon's own account for EKS images. */
const IMAGE_OWNER = '602401143452';

const imageIn =
  ({ eks }: World) =>
  (id: string): Ami | undefined =>
    amiById(id, eks.images);

function describeImages(world: World, form: URLSearchParams): Answer {
  const shipped = `v${world.clock.now().toISOString().slice(0, 10).replaceAll('-', '')}`;
  return listed(
    form,
    (world.eks.images ?? knownAmis()).filter(({ release }) => release <= shipped),
    {
      element: 'imagesSet',
      ids: {
        parameter: 'ImageId',
        of: (i) => i.id,
        missing: (id) => new AwsError(400, 'InvalidAMIID.NotFound', `The image id '[${id}]' does not exist`),
      },
      filters: {
        'image-id': (i) => i.id,
        name: (i) => i.name,
        architecture: (i) => i.arch,
        state: () => 'available',
        'owner-alias': () => 'amazon',
        'owner-id': () => IMAGE_OWNER,
      },
      render: (i) => ({
        platformDetails: 'Linux/UNIX',
        usageOperation: 'RunInstances',
        description: `EKS-optimized Kubernetes node, (k8s: ${i.minor})`,
        enaSupport: true,
        hypervisor: 'xen',
        imageOwnerAlias: 'amazon',
        name: i.name,
        rootDeviceName: '/dev/xvda',
        rootDeviceType: 'ebs',
        virtualizationType: 'hvm',
        imageId: i.id,
        imageLocation: `amazon/${i.name}`,
        imageState: 'available',
        imageOwnerId: IMAGE_OWNER,
        creationDate: `${i.release.replace(/^v(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')}T00:00:00.000Z`,
        isPublic: true,
        architecture: i.arch,
        imageType: 'machine',
      }),
    },
  );
}

function describeInstances(world: World, form: URLSearchParams): Answer {
  return listed(form, instancesOf(world), {
    element: 'reservationSet',
    ids: {
      parameter: 'InstanceId',
      of: (i) => i.id,
      missing: (id) => new AwsError(400, 'InvalidInstanceID.NotFound', `The instance ID '${id}' does not exist`),
    },
    filters: {
      'instance-id': (i) => i.id,
      'instance-state-name': () => 'running',
      'instance-type': (i) => i.type,
      'image-id': (i) => i.imageId,
      'private-dns-name': (i) => i.node,
      'tag-key': (i) => renderInstance(world, i).tags.map(({ key }) => key),
      'tag:eks:nodegroup-name': (i) => i.nodeGroup ?? '',
      'tag:karpenter.sh/nodepool': (i) => i.nodePool ?? '',
    },
    render: (i) => renderInstance(world, i).reservation,
  });
}

function describeVolumes(world: World, form: URLSearchParams): Answer {
  return listed(form, volumesOf(world), {
    element: 'volumeSet',
    ids: { parameter: 'VolumeId', of: (v) => v.id, missing: lacking('InvalidVolume.NotFound', 'volume') },
    filters: {
      'volume-type': (v) => v.type,
      'volume-id': (v) => v.id,
      status: statusOf,
      'attachment.instance-id': (v) => v.instance ?? '',
    },
    render: renderVolume,
  });
}

function describeLaunchTemplates(world: World, form: URLSearchParams): Answer {
  const named = numbered(form, 'LaunchTemplateName');
  const all = world.eks.network.launchTemplates.filter(({ name }) => named.length === 0 || named.includes(name));
  return listed(form, all, {
    element: 'launchTemplates',
    ids: { parameter: 'LaunchTemplateId', of: (t) => t.id, missing: noTemplate },
    filters: { 'launch-template-name': (t) => t.name },
    render: (t) => renderTemplate(world, t),
  });
}

const noTemplate = (id: string): AwsError =>
  new AwsError(400, 'InvalidLaunchTemplateId.NotFound', `The specified launch template, with template ID ${id}, does not exist.`);

function requireTemplate(world: World, form: URLSearchParams): LaunchTemplate {
  const [id, name] = [form.get('LaunchTemplateId'), form.get('LaunchTemplateName')];
  const template = world.eks.network.launchTemplates.find((t) => t.id === id || t.name === name);
  if (template === undefined) throw noTemplate(id ?? name ?? '');
  return template;
}

function describeLaunchTemplateVersions(world: World, form: URLSearchParams): Answer {
  const template = requireTemplate(world, form);
  const asked = numbered(form, 'LaunchTemplateVersion').map((name) => versionNamed(template, name)?.number);
  const [min, max] = [Number(form.get('MinVersion') ?? 0), Number(form.get('MaxVersion') ?? Number.POSITIVE_INFINITY)];
  const versions = template.versions.filter(
    ({ number }) => (asked.length === 0 || asked.includes(number)) && number >= min && number <= max,
  );
  return { launchTemplateVersionSet: versions.map((version) => renderTemplateVersion(world, template, version, imageIn(world))) };
}

function createLaunchTemplateVersion(world: World, form: URLSearchParams): Answer {
  const template = requireTemplate(world, form);
  const made = createTemplateVersion(world, template, form);
  return { launchTemplateVersion: renderTemplateVersion(world, template, made, imageIn(world)) };
}

const ACTIONS: Record<string, (world: World, form: URLSearchParams) => Answer> = {
  DescribeSubnets: describeSubnets,
  DescribeSecurityGroups: describeSecurityGroups,
  DescribeVpcs: describeVpcs,
  DescribeAvailabilityZones: describeAvailabilityZones,
  DescribeImages: describeImages,
  DescribeInstances: describeInstances,
  DescribeVolumes: describeVolumes,
  DescribeLaunchTemplates: describeLaunchTemplates,
  DescribeLaunchTemplateVersions: describeLaunchTemplateVersions,
  CreateLaunchTemplateVersion: createLaunchTemplateVersion,
};

const PAGING: Paging = { size: 'MaxResults', token: 'NextToken', next: 'nextToken' };

/** Answers one EC2 action with XML. Throws AwsError in EC2's words. */
export function ec2(parts: readonly Part[], form: URLSearchParams): string {
  const action = form.get('Action') ?? '';
  const run = ACTIONS[action];
  if (run === undefined) throw new AwsError(400, 'InvalidAction', `The action ${action} is not valid for this web service.`);
  const answer = xml({ requestId: randomUUID(), ...answerOf(parts, form, PAGING, run) }, 'item');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${action}Response xmlns="${NAMESPACE}">${answer}</${action}Response>`;
}

export function ec2Error(error: AwsError): string {
  const body = xml({ Errors: { Error: { Code: error.code, Message: error.message } }, RequestID: randomUUID() }, 'item');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${body}</Response>`;
}
