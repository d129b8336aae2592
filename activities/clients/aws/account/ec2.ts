/** EC2: the operations that are asked of it, so that a bundle has no others. */
import {
  CreateLaunchTemplateVersionCommand,
  type CreateLaunchTemplateVersionCommandInput,
  DescribeImagesCommand,
  type DescribeImagesCommandInput,
  DescribeInstancesCommand,
  type DescribeInstancesCommandInput,
  DescribeLaunchTemplatesCommand,
  type DescribeLaunchTemplatesCommandInput,
  DescribeLaunchTemplateVersionsCommand,
  type DescribeLaunchTemplateVersionsCommandInput,
  DescribeSecurityGroupsCommand,
  type DescribeSecurityGroupsCommandInput,
  DescribeSubnetsCommand,
  type DescribeSubnetsCommandInput,
  DescribeVolumesCommand,
  type DescribeVolumesCommandInput,
  EC2Client,
  type EC2ClientConfig,
} from '@aws-sdk/client-ec2';
import { prepared } from '../prepared-client.ts';
import type { CallOptions } from './call-options.ts';
import { changingClient } from './changing-client.ts';
import { scanning } from './scan-xml.ts';

export type Ec2 = ReturnType<typeof openEc2>;

/** Nothing is sent yet. `writing`: the configuration for changes, asked for at each of them. */
export function openEc2(config: EC2ClientConfig, writing: () => Promise<EC2ClientConfig>) {
  const client = scanning(prepared(new EC2Client(config)));
  const { changer, destroy } = changingClient(client, writing, (other) => scanning(prepared(new EC2Client(other))));
  return {
    createLaunchTemplateVersion: async (input: CreateLaunchTemplateVersionCommandInput, options: CallOptions) =>
      await (await changer()).send(new CreateLaunchTemplateVersionCommand(input), options),
    describeImages: (input: DescribeImagesCommandInput, options: CallOptions) => client.send(new DescribeImagesCommand(input), options),
    describeInstances: (input: DescribeInstancesCommandInput, options: CallOptions) =>
      client.send(new DescribeInstancesCommand(input), options),
    describeLaunchTemplates: (input: DescribeLaunchTemplatesCommandInput, options: CallOptions) =>
      client.send(new DescribeLaunchTemplatesCommand(input), options),
    describeLaunchTemplateVersions: (input: DescribeLaunchTemplateVersionsCommandInput, options: CallOptions) =>
      client.send(new DescribeLaunchTemplateVersionsCommand(input), options),
    describeSecurityGroups: (input: DescribeSecurityGroupsCommandInput, options: CallOptions) =>
      client.send(new DescribeSecurityGroupsCommand(input), options),
    describeSubnets: (input: DescribeSubnetsCommandInput, options: CallOptions) => client.send(new DescribeSubnetsCommand(input), options),
    describeVolumes: (input: DescribeVolumesCommandInput, options: CallOptions) => client.send(new DescribeVolumesCommand(input), options),
    destroy,
  };
}
