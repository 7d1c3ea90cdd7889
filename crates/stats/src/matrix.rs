//! Symmetric positive definite matrices: solving, and the inverse.

/// A square matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matrix {
    size: usize,
    cells: Vec<f64>,
}

impl Matrix {
    pub(crate) fn zero(size: usize) -> Self {
        Matrix { size, cells: vec![0.0; size * size] }
    }

    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }

    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.cells[row * self.size + column] += value;
    }

    /// Cholesky's lower triangle L with L Lᵀ = self. `None` where the matrix is not positive definite.
    pub(crate) fn cholesky(mut self) -> Option<Triangle> {
        let n = self.size;
        for row in 0..n {
            for column in 0..=row {
                let (above, below) =
                    (&self.cells[column * n..column * n + column], &self.cells[row * n..row * n + column]);
                let rest = self.at(row, column) - above.iter().zip(below).map(|(a, b)| a * b).sum::<f64>();
                let value = if row == column { rest.sqrt() } else { rest / self.at(column, column) };
                if !value.is_finite() || (row == column && value <= 0.0) {
                    return None;
                }
                self.cells[row * n + column] = value;
            }
        }
        Some(Triangle(self))
    }
}

/// The lower triangle of a Cholesky factorisation; the elements above the diagonal are undefined.
pub(crate) struct Triangle(Matrix);

impl Triangle {
    /// Solves for x in L Lᵀ x = `right`, in place.
    pub(crate) fn solve(&self, right: &mut [f64]) {
        let Triangle(lower) = self;
        for row in 0..lower.size {
            let known: f64 = (0..row).map(|column| lower.at(row, column) * right[column]).sum();
            right[row] = (right[row] - known) / lower.at(row, row);
        }
        for row in (0..lower.size).rev() {
            let known: f64 = (row + 1..lower.size).map(|column| lower.at(column, row) * right[column]).sum();
            right[row] = (right[row] - known) / lower.at(row, row);
        }
    }

    pub(crate) fn inverse(&self) -> Matrix {
        let n = self.0.size;
        let mut inverse = Matrix::zero(n);
        for (row, unit) in inverse.cells.chunks_exact_mut(n.max(1)).enumerate() {
            unit[row] = 1.0;
            self.solve(unit);
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_of_a_known_matrix() {
        let mut matrix = Matrix::zero(3);
        for (at, value) in [4.0, 12.0, -16.0, 12.0, 37.0, -43.0, -16.0, -43.0, 98.0].into_iter().enumerate() {
            matrix.add(at / 3, at % 3, value);
        }
        let triangle = matrix.clone().cholesky().unwrap();
        let mut right = [1.0, 2.0, 3.0];
        triangle.solve(&mut right);
        for row in 0..3 {
            let product: f64 = (0..3).map(|column| matrix.at(row, column) * right[column]).sum();
            assert!((product - (row + 1) as f64).abs() < 1e-11);
            for column in 0..3 {
                let inverse = triangle.inverse();
                let product: f64 = (0..3).map(|k| matrix.at(row, k) * inverse.at(k, column)).sum();
                assert!((product - f64::from(row == column)).abs() < 1e-11);
            }
        }
        let mut singular = Matrix::zero(2);
        singular.add(0, 0, 1.0);
        assert!(singular.cholesky().is_none());
    }
}
