// What the start page shows of each game: a sentence, and the beginning of a game that engines played.

/** @type {Record<string, {says: import('../js/server.js').Words, moves: string}>} moves are separated by semicolons */
export const GAMES = {
  othello: {
    says: { en: 'Trap discs between yours and flip them.', ja: 'はさんで返す、石の取り合い。' },
    moves: 'd3;c5;c6;e3;c4;d6;e7;d7;e6;f5;f6;c7;d8;b5;c3;f4;a6;b4;a3;b6;g5;a4;b3;d2;a5;e8',
  },
  dobutsu: {
    says: { en: 'Shogi with four animals on twelve squares.', ja: '4 匹の動物で指す、12 マスの将棋。' },
    moves: '2c2b;1a2b;3d2c;3a3b;1d1c;2b3c;2d3d;C*1a;2c3b;2a3b;1c2c;E*2b;2c3c;2b3c;E*2c;3c2d;2c3b',
  },
  golad: {
    says: { en: 'Conway’s Game of Life as a contest of two colours.', ja: '二色のセルが争うライフゲーム。' },
    moves: 'birth 1,8 4,4 6,6;birth 8,10 2,8 14,10;birth 7,7 1,8 15,8;birth 1,8 7,10 13,11;birth 7,9 10,0 0,8;birth 5,8 9,8 5,13;birth 6,9 8,3 7,4;birth 14,7 12,7 13,13;birth 12,5 6,6 16,8;birth 12,5 12,8 13,10;birth 10,8 9,0 7,2;birth 10,2 15,9 14,10;birth 12,7 11,3 11,4;birth 12,8 10,12 10,15',
  },
  blokus: {
    says: { en: 'Place pieces corner to corner, never edge to edge.', ja: '角と角をつなげて、陣地を広げる。' },
    moves: 'g8,f9,g9,e10,f10;i4,j4,i5,j5,i6;h5,g6,h6,h7,i7;j7,h8,i8,j8,k8;k9,h10,i10,j10,k10;l9,l10,m10,n10,m11;l7,m7,l8,m8,n8;f7,g7,d8,e8,f8;c8,b9,c9,d9,c10;b6,a7,b7,c7,b8;d4,d5,d6,e6,d7;f3,g3,h3,g4,g5;d1,e1,f1,e2,e3;b2,c2,c3,c4,c5;k4,k5,j6,k6;l2,m2,k3,l3;m3,m4,n4,n5,n6;i11,j11,k11,i12,i13;h1,i1,i2,i3,j3;l12,k13,l13,j14,k14',
  },
  tubstap: {
    says: { en: 'Lead a small army across a map, turn by turn.', ja: '地形を生かして、小さな軍を率いる。' },
    moves: '0@3,1;1@2,4;2@1,5;3@1,2;4@2,2;5@2,1;6@6,3;9@2,3>4;10@2,5>1;7@5,4;8@3,6;11@5,2;5@2,1>9;2@2,6>8;3@1,5>10;0@4,2;1@4,4>7;4@6,2;11@5,2>1;10@2,5>2;8@3,6>2;6@6,5;7@5,3;2@2,6>8;3@2,6>10;0@4,3>7;4@4,6>8;5@1,3',
  },
};
