
ByJâxâxâxâxâxâx