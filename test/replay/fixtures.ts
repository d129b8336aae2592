/** Recorded histories: one gzipped file per story and release, holding the run, its steps, and whatever else the story started. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import proto from '@temporalio/proto';
import { z } from 'zod';

type History = proto.temporal.api.history.v1.IHistory;
const { History: HistoryProto } = proto.temporal.api.history.v1;

/** `<release>/<story>.histories.json.gz` */
export const FIXTURES = fileURLToPath(new URL('./histories/', import.meta.url));
export const ENDING = '.histories.json.gz';

const storySchema = z.array(z.object({ workflowId: z.string(), workflowType: z.string(), history: z.record(z.string(), z.unknown()) }));
/** `history` is Temporal's History as an object: enums by name, bytes in base64, 64-bit numbers as strings. */
export type RecordedStory = z.output<typeof storySchema>;

/** Of package.json. */
export const thisRelease = (): string =>
  z.object({ version: z.string() }).parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))).version;

export const releases = (): string[] => readdirSync(FIXTURES).toSorted();

export const stories = (release: string): string[] =>
  readdirSync(`${FIXTURES}${release}`)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .toSorted();

export function readStory(release: string, story: string): RecordedStory {
  return storySchema.parse(JSON.parse(gunzipSync(readFileSync(`${FIXTURES}${release}/${story}${ENDING}`)).toString()));
}

export const historyOf = ({ history }: RecordedStory[number]): History => HistoryProto.fromObject(history);

export const plainHistory = (history: History): Record<string, unknown> =>
  HistoryProto.toObject(HistoryProto.create(history), { enums: String, bytes: String, longs: String });
