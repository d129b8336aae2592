/** What a record may be called, in a directory as in a bucket. */
export function fileName(name: string): string {
  return name.replace(/[^\w.-]/g, '-').slice(0, 200);
}
