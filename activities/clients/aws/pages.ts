/** Lists of AWS in pages, each of which names the next one. A service may answer with fewer entries than there are at any time. */
import { sentAhead } from '../../runtime/ahead.ts';

/** EC2, Auto Scaling. The next page is asked for before this one is given out: what is done with it takes no time of the list. */
export async function* byNextToken<T extends { NextToken?: string }>(ask: (page: { NextToken?: string }) => Promise<T>): AsyncGenerator<T> {
  for (let asked: Promise<T> | undefined = ask({}); asked !== undefined; ) {
    const page: T = await asked;
    const { NextToken } = page;
    asked = NextToken === undefined || NextToken === '' ? undefined : ask({ NextToken });
    if (asked !== undefined) await sentAhead(asked);
    yield page;
  }
}

/** IAM. */
export async function* byMarker<T extends { IsTruncated?: boolean; Marker?: string }>(
  ask: (page: { Marker?: string }) => Promise<T>,
): AsyncGenerator<T> {
  for (let marker: string | undefined; ; ) {
    const page = await ask(marker === undefined ? {} : { Marker: marker });
    yield page;
    if (page.IsTruncated !== true || page.Marker === undefined) return;
    marker = page.Marker;
  }
}
