// A table of Dobutsu shogi with one value for every position: small, where the real one has 59 MB and takes a minute to build.

import { deflateRawSync } from 'node:zlib';

const SLOTS = 11_878_227 * 21;
const BLOCK = 4096;
const BLOCKS = Math.ceil(SLOTS / BLOCK);
const HEADER = 24;

const WORD = (1n << 64n) - 1n;

/**
 * As `crates/dobutsu/src/table/file.rs` computes it.
 * @param {Buffer[]} parts
 */
function checksum(...parts) {
  let sum = 0x9e37_79b9_7f4a_7c15n;
  for (const part of parts) {
    const words = Buffer.concat([part, Buffer.alloc((8 - (part.length % 8)) % 8)]);
    for (let at = 0; at < words.length; at += 8) {
      const mixed = ((sum ^ words.readBigUInt64LE(at)) * 0xd6e8_feb8_6659_fd93n) & WORD;
      sum = ((mixed << 29n) | (mixed >> 35n)) & WORD;
    }
    sum ^= BigInt(part.length);
  }
  return sum;
}

/**
 * The table of the rules `catch` in which every position that is not won at once has this value.
 * @param {number} value 255 for a draw, else the plies to the end
 */
export function uniform(value) {
  const packed = (/** @type {number} */ length) => deflateRawSync(Buffer.alloc(length, value));
  const [block, last] = [packed(BLOCK), packed(SLOTS - (BLOCKS - 1) * BLOCK)];
  const file = Buffer.alloc(HEADER + 4 * (BLOCKS + 1) + (BLOCKS - 1) * block.length + last.length);
  file.write('BANMENDT');
  file.writeUInt16LE(1, 8);
  file.writeUInt8(0, 10);
  file.writeUInt8(12, 11);
  file.writeUInt32LE(SLOTS, 12);
  const data = HEADER + 4 * (BLOCKS + 1);
  for (let i = 0; i < BLOCKS; i++) {
    const bytes = i < BLOCKS - 1 ? block : last;
    const begin = i * block.length;
    bytes.copy(file, data + begin);
    file.writeUInt32LE(begin + bytes.length, HEADER + 4 * (i + 1));
  }
  file.writeBigUInt64LE(checksum(file.subarray(0, 16), file.subarray(HEADER)), 16);
  return file;
}
