/** Lists of AWS in pages, each of which names the next one. A service may answer with fewer entries than there are at any time. */

/** EC2, Auto Scaling. */
export async function* byNextToken<T extends { NextToken?: string }>(ask: (page: { NextToken?: string }) => Promise<T>): AsyncGenerator<T> {
  for (let token: string | undefined; ; ) {
    const page = await ask(token === undefined ? {} : { NextToken: token });
    yield page;
    if (page.NextToken === undefined || page.NextToken === '') return;
    token = page.NextToken;
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
