/**
 * How many tokens a text may have, rather too many than too few: a budget is reserved by it. Four bytes a token is what
 * English and code come to; other scripts have more tokens a character, and more bytes too.
 */
const BYTES_PER_TOKEN = 3;

export const estimateTokens = (text: string): number => Math.ceil(byteLength(text) / BYTES_PER_TOKEN);

/** Of UTF-8, without making it. */
function byteLength(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff)) bytes += 2;
    else if (unit > 0x7f) bytes += 1;
  }
  return bytes;
}
