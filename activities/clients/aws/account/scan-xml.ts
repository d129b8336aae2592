/**
 * Answers of EC2 are XML, of which the SDK parses every field of every instance: a second of CPU for 5,000 of them. Where a few fields are
 * wanted of many objects, they are scanned for instead. Signing, retries and errors stay the SDK's.
 */
import { Readable } from 'node:stream';
import type { EC2Client } from '@aws-sdk/client-ec2';
import { field, isRecord } from '../../../../domain/core/unknown.ts';
import { textOfStream } from '../../../runtime/text-of-stream.ts';

/** What is wanted of an answer, in the SDK's words. */
type Scan = (xml: string) => Record<string, unknown>;

const textOf = (xml: string, element: string): string | undefined => new RegExp(`<${element}>([^<]*)<`).exec(xml)?.[1];
const nextOf = (xml: string): { NextToken?: string | undefined } => ({ NextToken: textOf(xml, 'nextToken') });

/** By command. An instance begins with its id, which nothing inside of it repeats; a volume has one size. */
const SCANS: Readonly<Record<string, Scan>> = {
  DescribeInstancesCommand: (xml) => ({
    ...nextOf(xml),
    Reservations: [
      {
        Instances: xml
          .split('<instanceId>')
          .slice(1)
          .map((one) => ({
            InstanceType: textOf(one, 'instanceType'),
            InstanceLifecycle: textOf(one, 'instanceLifecycle'),
            CpuOptions: { CoreCount: Number(textOf(one, 'coreCount')), ThreadsPerCore: Number(textOf(one, 'threadsPerCore')) },
          })),
      },
    ],
  }),
  DescribeVolumesCommand: (xml) => ({
    ...nextOf(xml),
    Volumes: [...xml.matchAll(/<size>(\d+)</g)].map(([, size]) => ({ Size: Number(size) })),
  }),
};

const NOTHING = '<response><requestId></requestId></response>';
const SCANNED = 'belayScanned';

/** The client: answers to these commands have only what is scanned for. */
export function scanning(ec2: EC2Client): EC2Client {
  ec2.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      const scan = SCANS[String(context['commandName'])];
      const { response } = result;
      if (scan === undefined || field(response, 'statusCode') !== 200 || !isRecord(response)) return result;
      if (!(response['body'] instanceof Readable)) return result;
      context[SCANNED] = scan(await textOfStream(response['body']));
      response['body'] = Buffer.from(NOTHING);
      return result;
    },
    // Innermost: before the answer is parsed.
    { step: 'deserialize', priority: 'low', name: 'belayScanXml' },
  );
  ec2.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      return isRecord(context[SCANNED]) ? { ...result, output: { ...result.output, ...context[SCANNED] } } : result;
    },
    // Outermost: nobody else looks through what was found.
    { step: 'initialize', priority: 'high', name: 'belayScanned' },
  );
  return ec2;
}
