/**
 * Answers of EC2 are XML, of which the SDK parses every field of every instance: a second of CPU for 5,000 of them. Where a few fields are
 * wanted of many objects, they are scanned for instead. Signing, retries and errors stay the SDK's.
 */
import { Readable } from 'node:stream';
import type { EC2Client } from '@aws-sdk/client-ec2';
import { field, isRecord } from '../../../../domain/core/unknown.ts';
import { textOfStream } from '../../../runtime/text-of-stream.ts';

/** The list that is wanted of an answer, in the SDK's words. */
interface Scan {
  list: string;
  read: (xml: string) => unknown[];
}

const textOf = (xml: string, element: string): string | undefined => new RegExp(`<${element}>([^<]*)<`).exec(xml)?.[1];

/** By command. An instance begins with its id, which nothing inside of it repeats; a volume has one size. */
const SCANS: Readonly<Record<string, Scan>> = {
  DescribeInstancesCommand: {
    list: 'Reservations',
    read: (xml) => [
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
  },
  DescribeVolumesCommand: {
    list: 'Volumes',
    read: (xml) => [...xml.matchAll(/<size>(\d+)</g)].map(([, size]) => ({ Size: Number(size) })),
  },
};

/** Scanned when the list is read: the next page is asked for before. */
function scanned(xml: string, { list, read }: Scan): object {
  let found: unknown[] | undefined;
  const page = { NextToken: textOf(xml, 'nextToken') };
  return Object.defineProperty(page, list, { enumerable: true, get: () => (found ??= read(xml)) });
}

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
      context[SCANNED] = scanned(await textOfStream(response['body']), scan);
      response['body'] = Buffer.from(NOTHING);
      return result;
    },
    // Innermost: before the answer is parsed.
    { step: 'deserialize', priority: 'low', name: 'belayScanXml' },
  );
  ec2.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      if (!isRecord(context[SCANNED])) return result;
      return { ...result, output: Object.defineProperties({ ...result.output }, Object.getOwnPropertyDescriptors(context[SCANNED])) };
    },
    // Outermost: nobody else looks through what was found.
    { step: 'initialize', priority: 'high', name: 'belayScanned' },
  );
  return ec2;
}
